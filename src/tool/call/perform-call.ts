import { makePrivateDirectory } from '../../engine/process/state-files.ts';
import { NacreError } from '../../errors.ts';
import type { CallResult } from '../contract/result.ts';
import { ToolAbortError } from '../contract/result.ts';
import { buildRefusedResult, buildTakenOverResult, buildUnstartedResult } from './call-results.ts';
import type { CallContext } from './context.ts';
import type { CallPlan } from './plan-call.ts';
import { prepareCall } from './prepare-call.ts';
import { runForeground } from './run-foreground.ts';
import { startJob } from './start-job.ts';
import { journalRefusal } from './start-run.ts';

/** One call, from its input to its result. Rejects only for the caller's own abort. */
export async function performCall(input: unknown, context: CallContext): Promise<CallResult> {
  throwIfAborted(context);
  try {
    const prepared = await prepareCall(input, context);
    if ('takenOver' in prepared) return buildTakenOverResult(prepared.takenOver, context);
    return await executePlan(prepared, context);
  } catch (error) {
    if (!(error instanceof NacreError) || error instanceof ToolAbortError) throw error;
    // A question that was withdrawn with its call is an abort, not a refusal.
    throwIfAborted(context);
    const notes = journalRefusal({ input, error }, context);
    const result = buildRefusedResult(error, context);
    return { ...result, run: { ...result.run, notes } };
  }
}

/** An abort that came before anything ran: nothing runs. */
export function throwIfAborted(context: CallContext): void {
  const { signal, killSignal } = context.call;
  if (signal?.aborted || killSignal?.aborted) throw new ToolAbortError(buildUnstartedResult(context));
}

async function executePlan(plan: CallPlan, context: CallContext): Promise<CallResult> {
  throwIfAborted(context);
  context.instanceRuns.requireOpen();
  for (const directory of plan.directoriesToCreate) createDirectory(directory);
  if (plan.request.background) return startJob(plan, context);
  if (plan.run.terminal === null) return runForeground(plan, context);
  return context.terminalQueue.run(() => {
    throwIfAborted(context);
    return runForeground(plan, context);
  }, context.call.signal);
}

function createDirectory(directory: string): void {
  try {
    makePrivateDirectory(directory);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NacreError('store_unusable', { directory, reason }, { cause });
  }
}
