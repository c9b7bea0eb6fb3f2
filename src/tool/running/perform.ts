import { makeDirectory } from '../../engine/run/record/make-directory.ts';
import { NacreError } from '../../errors.ts';
import { refusedResult, unstartedResult } from '../outcome/results.ts';
import { takenOverResult } from '../outcome/taken-over.ts';
import type { Plan } from '../planning/plan.ts';
import { prepare } from '../planning/prepare.ts';
import type { CallResult } from '../result.ts';
import { ToolAbortError } from '../tool-abort-error.ts';
import type { CallContext } from './context.ts';
import { runForeground } from './foreground.ts';
import { recordRefusal } from './record.ts';
import { startJob } from './start-job.ts';

/** One call, from its input to its result. Rejects only for the caller's own abort. */
export async function performCall(input: unknown, context: CallContext): Promise<CallResult> {
  refuseAborted(context);
  try {
    const prepared = await prepare(input, context);
    if ('takenOver' in prepared) return takenOverResult(prepared.takenOver, context);
    return await carryOut(prepared, context);
  } catch (error) {
    if (!(error instanceof NacreError) || error instanceof ToolAbortError) throw error;
    // A question that was withdrawn with its call is an abort, not a refusal.
    refuseAborted(context);
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
  for (const directory of plan.make) makeFolder(directory);
  if (plan.request.background) return startJob(plan, context);
  if (plan.run.terminal === null) return runForeground(plan, context);
  return context.terminals.take(() => {
    refuseAborted(context);
    return runForeground(plan, context);
  }, context.call.signal);
}

function makeFolder(directory: string): void {
  try {
    makeDirectory(directory);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NacreError('store_unusable', { directory, reason }, { cause });
  }
}
