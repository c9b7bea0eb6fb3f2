import type { Run } from '../../engine/hosts/host.ts';
import { createRunId } from '../../engine/run/record/id.ts';
import type { ArrayRequest } from '../hosts/array.ts';
import { startedResult } from '../outcome/results.ts';
import type { Plan } from '../planning/plan.ts';
import type { CallResult } from '../result.ts';
import { relabel } from '../runs/index-file.ts';
import type { CallContext } from './context.ts';
import { recordEnd, recordStart } from './record.ts';

interface Task {
  readonly task: number;
  readonly run: Run;
}

/** Starts an array of a cluster: one submission, and a job here for each of its tasks. */
export async function startArray(
  plan: Plan,
  { spec, tasks }: ArrayRequest,
  context: CallContext,
): Promise<CallResult> {
  const key = createRunId();
  const start = async (task: number, submits: boolean): Promise<Task> => {
    const array = { key, spec, task, submits };
    const run = await context.room.fill(() => context.host.start({ ...labelled(plan, task), array }));
    return { task, run };
  };
  const [first = 0, ...others] = tasks;
  // The whole array is the first one's to submit; where that is refused there is nothing to look after.
  const started = [await start(first, true)];
  const rest = await Promise.allSettled(others.map((task) => start(task, false)));
  for (const outcome of rest) if (outcome.status === 'fulfilled') started.push(outcome.value);
  const failed = rest.find((outcome) => outcome.status === 'rejected');
  if (failed?.status === 'rejected') {
    await Promise.all(started.map(({ run }) => run.stop('kill')));
    throw failed.reason;
  }
  const more = started.flatMap(({ run }) => follow(run, plan, context));
  return toResult(plan, started, { more, context });
}

function labelled(plan: Plan, task: number): Plan['run'] {
  const label = `${plan.label} [${task}]`;
  const { asked, listed, input } = plan.run;
  return {
    ...plan.run,
    // What a program has as its own input cannot be everybody's.
    input: input.kind === 'text' ? input : { kind: 'empty' },
    asked: { ...asked, label, arrayTask: task },
    ...(listed === undefined ? {} : { listed: relabel(listed, label) }),
  };
}

function follow(run: Run, plan: Plan, context: CallContext): readonly string[] {
  const notes = recordStart({ plan, run }, context);
  context.runs.addJob(run);
  void run.ended.then((end) => recordEnd({ run, end, outputBytes: null }, context));
  context.teller.follow(run, context.call.onUpdate);
  return notes;
}

function toResult(
  plan: Plan,
  started: readonly Task[],
  { more, context }: { more: readonly string[]; context: CallContext },
): CallResult {
  const [{ run } = started[0] as Task] = started;
  const list = started.map(({ task, run: { id } }) => `${task}: ${id}`).join(', ');
  const note = `An array of ${started.length} jobs, by task: ${list}. Each can be looked at, waited for and killed by its id; wait and kill take a list.`;
  const result = startedResult({ plan, run, shown: null, waiting: null, more: [...more, note] }, context);
  const array = started.map(({ task, run: { id } }) => ({ task, jobId: id }));
  return { ...result, details: { ...result.details, array } };
}
