import { makePrivateDirectory } from '../../engine/process/state-files.ts';
import { NacreError } from '../../errors.ts';
import type { CallResult } from '../contract/result.ts';
import { buildRefusedResult, buildTakenOverResult, buildUnstartedResult } from './call-results.ts';
import type { CallContext } from './context.ts';
import type { CallPlan } from './plan-call.ts';
import { prepareCall } from './prepare-call.ts';
import { runForeground } from './run-foreground.ts';
import { startJob } from './start-job.ts';
import { journalRefusal } from './start-run.ts';

/**
 * Carries out one call, from its input to its result. An abort is a result with the status `aborted`, and
 * every other `NacreError` is a result with the status `refused`.
 */
export async function performCall(input: unknown, context: CallContext): Promise<CallResult> {
  if (isAborted(context)) return buildUnstartedResult(context);
  try {
    const prepared = await prepareCall(input, context);
    if ('takenOver' in prepared) return buildTakenOverResult(prepared.takenOver, context);
    return await executePlan(prepared, context);
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    // The abort withdraws a pending approval, which then fails as a refusal.
    if (isAborted(context)) return buildUnstartedResult(context);
    const notes = journalRefusal({ input, error }, context);
    const result = buildRefusedResult(error, context);
    return { ...result, run: { ...result.run, notes } };
  }
}

function isAborted({ call: { signal, killSignal } }: CallContext): boolean {
  return signal?.aborted === true || killSignal?.aborted === true;
}

async function executePlan(plan: CallPlan, context: CallContext): Promise<CallResult> {
  if (isAborted(context)) return buildUnstartedResult(context);
  context.instanceRuns.requireOpen();
  for (const directory of plan.directoriesToCreate) createDirectory(directory);
  if (plan.request.background) return startJob(plan, context);
  if (plan.run.terminal === null) return runForeground(plan, context);
  return context.terminalQueue.run(
    async () => (isAborted(context) ? buildUnstartedResult(context) : runForeground(plan, context)),
    context.call.signal,
  );
}

function createDirectory(directory: string): void {
  try {
    makePrivateDirectory(directory);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NacreError('store_unusable', { directory, reason }, { cause });
  }
}
