import type { Run, RunEnd } from '../../engine/hosts/host.ts';
import { listPieces } from '../../engine/output/kept/pieces.ts';
import { condenserFor } from '../minimise/condenser-for.ts';
import { toOutcome } from '../outcome/outcome.ts';
import { finishedResult, startedResult } from '../outcome/results.ts';
import type { Shown } from '../outcome/shown.ts';
import type { Plan } from '../planning/plan.ts';
import type { CallResult } from '../result.ts';
import type { ShellCall } from '../sessions/shell-call.ts';
import { ToolAbortError } from '../tool-abort-error.ts';
import { Collector } from './collector.ts';
import type { CallContext } from './context.ts';
import { follow } from './follow.ts';
import { Listeners } from './listeners.ts';
import { ShownTerminal } from './live-terminal.ts';
import { createPatience } from './patience.ts';
import { recordEnd, recordStart } from './record.ts';
import { startRun } from './start-run.ts';

/** A run with what it printed while somebody waited. */
interface Collected {
  readonly plan: Plan;
  readonly run: Run;
  readonly collector: Collector;
  /** What is to be said of it so far. */
  readonly notes: readonly string[];
  readonly shell: ShellCall | null;
  /** `null` without one. */
  readonly terminal: ShownTerminal | null;
}

/** Lines shown of a run that goes on as a job, unless the call says how many. */
const PREVIEW_LINES = 100;

/** Runs a command and waits: for its end, or until it goes on as a job. */
export async function runForeground(plan: Plan, context: CallContext): Promise<CallResult> {
  const { profile, call } = context;
  const collector = new Collector({
    ...profile.window,
    apart: profile.streams === 'apart',
    streams: plan.run.streams,
  });
  const listeners = new Listeners(call, { collector, mask: plan.mask });
  const shell = context.sessionShell?.enter(plan.shell) ?? null;
  const asked = { ...plan.run, onBytes: listeners.onBytes, ...(call.signal ? { signal: call.signal } : {}) };
  const run = await startRun(asked, context).catch((error: unknown) => {
    shell?.leave();
    throw error;
  });
  context.runs.addForeground(run);
  listeners.started(run);
  const terminal = plan.run.terminal === null ? null : new ShownTerminal(run, plan.run.terminal);
  if (terminal !== null) call.terminal?.onStart?.(terminal.handle);
  const noted = recordStart({ plan, run }, context);
  const patience = createPatience({ plan, run }, context);
  const end = await follow(run, call, patience);
  listeners.end();
  const notes = [...noted, ...listeners.notes, ...(patience?.notes ?? [])];
  const collected = { plan, run, collector, notes, shell, terminal };
  return end === null ? toJob(collected, context) : finish({ ...collected, end }, context);
}

async function finish(
  finished: Collected & { readonly end: RunEnd },
  context: CallContext,
): Promise<CallResult> {
  const { plan, run, collector, notes, end } = finished;
  const outcome = toOutcome(end.ending);
  const settled = finished.shell?.settle({
    outcome,
    cwd: plan.run.cwd,
    secrets: plan.secrets,
    shell: end.shell,
  });
  if (plan.shell.keeping === 'written_down') context.prepareShells();
  const recorded = recordEnd({ run, end, outputBytes: collector.totalBytes }, context);
  const stateReset = settled?.stateReset ?? null;
  const artifact = wasKept(finished) ? `artifact://${run.id}` : null;
  const { head: headLines, tail: tailLines } = plan.request;
  const { shown, read } = await show({ ...finished, artifact, headLines, tailLines }, context);
  const more = [...notes, ...(settled?.notes ?? []), ...recorded, ...read];
  const result = finishedResult({ plan, run, end, outcome, shown, artifact, stateReset, more }, context);
  context.sweeper.maybe();
  if (outcome.status === 'aborted') throw new ToolAbortError(result);
  return result;
}

/** The wait is over; the run is a job by now. */
async function toJob(collected: Collected, context: CallContext): Promise<CallResult> {
  const { plan, run, notes } = collected;
  const { stateReset = null, notes: said = [] } = collected.shell?.toJob() ?? {};
  void run.ended.then((end) => recordEnd({ run, end, outputBytes: null }, context));
  context.teller.follow(run, context.call.onUpdate);
  const artifact = plan.run.keep.maxBytes === 0 ? null : `artifact://${run.id}`;
  const tailLines = plan.request.tail ?? PREVIEW_LINES;
  const { shown, read } = await show({ ...collected, artifact, headLines: null, tailLines }, context);
  const more = [...notes, ...said, ...read];
  const stored = context.store.find(run.id);
  const { toWaitingForInput } = await import('../job/looking/input-wait.ts');
  const waiting = stored === null ? null : toWaitingForInput(stored);
  return startedResult({ plan, run, shown, waiting, stateReset, more }, context);
}

/** The store may fail while the command goes on; a note says so then, and there may be nothing to point at. */
function wasKept({ plan, run, end, collector }: Collected & { readonly end: RunEnd }): boolean {
  if (plan.run.keep.maxBytes === 0 || run.directory === '') return false;
  if (end.notes.length === 0 || collector.totalBytes === 0) return true;
  const { directory } = run;
  return (
    [...listPieces({ directory, stream: 'out' }), ...listPieces({ directory, stream: 'err' })].length > 0
  );
}

interface Showing extends Collected {
  readonly artifact: string | null;
  readonly headLines: number | null;
  readonly tailLines: number | null;
}

/** What a profile shows of it, and what is to be said of how a terminal was read. */
async function show(
  showing: Showing,
  { profile, options }: CallContext,
): Promise<{ readonly shown: Shown; readonly read: readonly string[] }> {
  const { plan, run, collector, terminal, artifact, headLines, tailLines } = showing;
  const directory = artifact === null ? null : run.directory;
  const raw = collector.source('out', directory);
  const { source: out, notes: read } = (await terminal?.read(raw)) ?? { source: raw, notes: [] };
  const shown = await profile.show({
    out,
    err: collector.source('err', directory),
    ...{ artifact, mask: plan.mask, headLines, tailLines },
    condenser: async () => (plan.request.raw ? null : condenserFor(plan.request.command, options)),
  });
  return { shown, read };
}
