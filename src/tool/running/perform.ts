import { mkdir } from 'node:fs/promises';
import type { Run, RunEnd } from '../../engine/hosts/host.ts';
import { listPieces } from '../../engine/output/kept/pieces.ts';
import { NacreError } from '../../errors.ts';
import { toOutcome } from '../outcome/outcome.ts';
import { finishedResult, refusedResult, startedResult, unstartedResult } from '../outcome/results.ts';
import type { Shown } from '../outcome/shown.ts';
import type { Plan } from '../planning/plan.ts';
import { prepare } from '../planning/prepare.ts';
import type { CallResult } from '../result.ts';
import { ToolAbortError } from '../tool-abort-error.ts';
import { Collector } from './collector.ts';
import type { CallContext } from './context.ts';
import { follow } from './follow.ts';
import { Listeners } from './listeners.ts';
import { recordEnd, recordRefusal, recordStart } from './record.ts';

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
  const { profile, call } = context;
  const collector = new Collector({
    ...profile.window,
    apart: profile.streams === 'apart',
    streams: plan.run.streams,
  });
  const listeners = new Listeners(call, { collector, mask: plan.mask });
  const run = await context.host.start({ ...plan.run, onBytes: listeners.onBytes });
  context.runs.addForeground(run);
  listeners.started(run.id);
  const noted = recordStart({ plan, run }, context);
  const end = await follow(run, call);
  listeners.end();
  const more = [
    ...noted,
    ...recordEnd({ run, end, outputBytes: collector.totalBytes }, context),
    ...listeners.notes,
  ];
  const outcome = toOutcome(end.ending);
  const artifact = wasKept({ plan, run, end, collector }) ? `artifact://${run.id}` : null;
  const shown = await show({ plan, run, collector, artifact }, context);
  const result = finishedResult({ plan, run, end, outcome, shown, artifact, more }, context);
  context.sweeper.maybe();
  if (outcome.status === 'aborted') throw new ToolAbortError(result);
  return result;
}

/** The store may fail while the command goes on; a note says so then, and there may be nothing to point at. */
function wasKept({
  plan,
  run,
  end,
  collector,
}: Omit<Collected, 'artifact'> & { readonly end: RunEnd }): boolean {
  if (plan.run.keep.maxBytes === 0) return false;
  if (end.notes.length === 0 || collector.totalBytes === 0) return true;
  const { directory } = run;
  return (
    [...listPieces({ directory, stream: 'out' }), ...listPieces({ directory, stream: 'err' })].length > 0
  );
}

interface Collected {
  readonly plan: Plan;
  readonly run: Run;
  readonly collector: Collector;
  readonly artifact: string | null;
}

function show({ plan, run, collector, artifact }: Collected, { profile }: CallContext): Promise<Shown> {
  const { head: headLines, tail: tailLines } = plan.request;
  const directory = artifact === null ? null : run.directory;
  return profile.show({
    out: collector.source('out', directory),
    err: collector.source('err', directory),
    ...{ artifact, mask: plan.mask, headLines, tailLines },
  });
}

async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NacreError('store_unusable', { directory, reason }, { cause });
  }
}
