import { mkdir } from 'node:fs/promises';
import type { Run } from '../../engine/hosts/host.ts';
import { NacreError } from '../../errors.ts';
import type { CallResult } from '../result.ts';
import { ToolAbortError } from '../tool-abort-error.ts';
import { createCollector } from './collect.ts';
import type { CallContext } from './context.ts';
import { follow } from './follow.ts';
import { Listeners } from './listeners.ts';
import { succeeded, toOutcome } from './outcome.ts';
import type { Plan } from './plan.ts';
import { prepare } from './prepare.ts';
import { recordEnd, recordRefusal, recordStart } from './record.ts';
import { finishedResult, refusedResult, startedResult, unstartedResult } from './results.ts';

/** One call, from its input to its result. Rejects only for the caller's own abort. */
export async function performCall(input: unknown, context: CallContext): Promise<CallResult> {
  refuseAborted(context);
  try {
    const plan = await prepare(input, context);
    return await carryOut(plan, context);
  } catch (error) {
    if (!(error instanceof NacreError) || error instanceof ToolAbortError) throw error;
    const notes = recordRefusal({ input, error }, context);
    const result = refusedResult(error, context);
    return { ...result, run: { ...result.run, notes } };
  }
}

/** An abort that came before anything ran: nothing runs. */
export function refuseAborted(context: CallContext): void {
  const { signal, killSignal } = context.call;
  if (signal?.aborted || killSignal?.aborted) throw new ToolAbortError(unstartedResult(context));
}

async function carryOut(plan: Plan, context: CallContext): Promise<CallResult> {
  refuseAborted(context);
  context.runs.requireOpen();
  for (const directory of plan.make) await makeDirectory(directory);
  return plan.request.background ? startJob(plan, context) : runForeground(plan, context);
}

async function startJob(plan: Plan, context: CallContext): Promise<CallResult> {
  const run = await context.host.start(plan.run);
  const more = recordStart({ plan, run }, context);
  context.runs.addJob(run);
  context.room.add(run.id);
  void run.ended.then((end) => recordEnd({ run, end, outputBytes: null }, context));
  return startedResult({ plan, run, more }, context);
}

async function runForeground(plan: Plan, context: CallContext): Promise<CallResult> {
  const collector = createCollector(plan, context);
  const listeners = new Listeners(context.call, collector);
  const run: Run = await context.host.start({ ...plan.run, onBytes: listeners.onBytes });
  context.runs.addForeground(run);
  listeners.started(run.id);
  const noted = recordStart({ plan, run }, context);
  const end = await follow(run, context.call);
  listeners.end();
  const outcome = toOutcome(end.ending);
  const artifact = plan.run.keep.maxBytes === 0 ? null : `artifact://${run.id}`;
  const shown = await collector.finish({
    artifactId: artifact === null ? null : run.id,
    failed: !succeeded(outcome),
  });
  const more = [
    ...noted,
    ...recordEnd({ run, end, outputBytes: shown.output.totalBytes }, context),
    ...listeners.notes,
  ];
  const result = finishedResult({ plan, run, end, outcome, shown, artifact, more }, context);
  if (outcome.status === 'aborted') throw new ToolAbortError(result);
  return result;
}

async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NacreError('store_unusable', { directory, reason }, { cause });
  }
}
