import type { Run } from '../../engine/hosts/host.ts';
import { createRunId } from '../../engine/run/run-files.ts';
import type { CallResult } from '../contract/result.ts';
import { relabelIndexFields } from '../jobs/run-index.ts';
import type { SlurmArrayRequest } from '../profiles/host-fields.ts';
import { buildStartedResult } from './call-results.ts';
import type { CallContext } from './context.ts';
import type { CallPlan } from './plan-call.ts';
import { journalEnd, journalStart } from './start-run.ts';

interface ArrayTask {
  readonly task: number;
  readonly run: Run;
}

/** Starts a job array of a cluster: one submission and one job here for each task. */
export async function startArray(
  plan: CallPlan,
  { spec, tasks }: SlurmArrayRequest,
  context: CallContext,
): Promise<CallResult> {
  const key = createRunId();
  const start = async (task: number, submits: boolean): Promise<ArrayTask> => {
    const array = { key, spec, task, submits };
    const run = await context.jobLimiter.start(() =>
      context.host.start({ ...withTaskLabel(plan, task), array }),
    );
    return { task, run };
  };
  const [first = 0, ...others] = tasks;
  // The first task submits the whole array; if that fails, no other task is started.
  const started = [await start(first, true)];
  const rest = await Promise.allSettled(others.map((task) => start(task, false)));
  for (const outcome of rest) if (outcome.status === 'fulfilled') started.push(outcome.value);
  const failed = rest.find((outcome) => outcome.status === 'rejected');
  if (failed?.status === 'rejected') {
    await Promise.all(started.map(({ run }) => run.stop('kill')));
    throw failed.reason;
  }
  const more = started.flatMap(({ run }) => watchArrayTask(run, plan, context));
  return toArrayResult(plan, started, { more, context });
}

function withTaskLabel(plan: CallPlan, task: number): CallPlan['run'] {
  const label = `${plan.label} [${task}]`;
  const { asked, listed, input } = plan.run;
  return {
    ...plan.run,
    // Open input or a descriptor cannot be shared by several tasks.
    input: input.kind === 'text' ? input : { kind: 'empty' },
    asked: { ...asked, label, arrayTask: task },
    ...(listed === undefined ? {} : { listed: relabelIndexFields(listed, label) }),
  };
}

function watchArrayTask(run: Run, plan: CallPlan, context: CallContext): readonly string[] {
  const notes = journalStart({ plan, run }, context);
  context.instanceRuns.addJob(run);
  void run.ended.then((end) => journalEnd({ run, end, outputBytes: null }, context));
  context.jobEndNotifier.watchRun(run, context.call.onUpdate);
  return notes;
}

function toArrayResult(
  plan: CallPlan,
  started: readonly ArrayTask[],
  { more, context }: { more: readonly string[]; context: CallContext },
): CallResult {
  const [{ run } = started[0] as ArrayTask] = started;
  const list = started.map(({ task, run: { id } }) => `${task}: ${id}`).join(', ');
  const note = `Job array with ${started.length} jobs, by task: ${list}. The job tool reads, waits for and kills each by its id; wait and kill accept a list.`;
  const result = buildStartedResult(
    { plan, run, shown: null, waiting: null, more: [...more, note] },
    context,
  );
  const array = started.map(({ task, run: { id } }) => ({ task, jobId: id }));
  return { ...result, details: { ...result.details, array } };
}
