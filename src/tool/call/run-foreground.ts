import type { Run, RunEnd } from '../../engine/hosts/host.ts';
import type { Condenser } from '../../engine/output/condensers/condenser.ts';
import { listSegments } from '../../engine/output/raw/output-segments.ts';
import { type CallResult, toCallOutcome } from '../contract/result.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import { toCondensers } from '../options/minimizer-options.ts';
import type { ShownOutput } from '../profiles/profile.ts';
import type { ShellCall } from '../sessions/shell-call.ts';
import { buildFinishedResult, buildStartedResult } from './call-results.ts';
import { AttachedTerminal } from './call-terminal.ts';
import type { CallContext } from './context.ts';
import { CallListeners, OutputCollector } from './output-collector.ts';
import type { CallPlan } from './plan-call.ts';
import { journalEnd, journalStart, startRun } from './start-run.ts';
import { createYieldPolicy, waitForRun } from './yield-policy.ts';

/** A run with what it printed while somebody waited. */
interface ForegroundRun {
  readonly plan: CallPlan;
  readonly run: Run;
  readonly collector: OutputCollector;
  /** What is to be said of it so far. */
  readonly notes: readonly string[];
  readonly shell: ShellCall | null;
  /** `null` without one. */
  readonly terminal: AttachedTerminal | null;
}

/** Lines shown of a run that goes on as a job, unless the call says how many. */
const JOB_PREVIEW_LINES = 100;

/** Runs a command and waits: for its end, or until it goes on as a job. */
export async function runForeground(plan: CallPlan, context: CallContext): Promise<CallResult> {
  const { profile, call } = context;
  const collector = new OutputCollector({
    ...profile.window,
    apart: profile.streams === 'apart',
    streams: plan.run.streams,
  });
  const listeners = new CallListeners(call, { collector, mask: plan.mask });
  const shell = context.sessionShell?.beginCall(plan.shell) ?? null;
  const asked = { ...plan.run, onBytes: listeners.onBytes, ...(call.signal ? { signal: call.signal } : {}) };
  const run = await startRun(asked, context).catch((error: unknown) => {
    shell?.release();
    throw error;
  });
  context.instanceRuns.addForeground(run);
  listeners.started(run);
  const terminal = plan.run.terminal === null ? null : new AttachedTerminal(run, plan.run.terminal);
  if (terminal !== null) call.terminal?.onStart?.(terminal.handle);
  const noted = journalStart({ plan, run }, context);
  const patience = createYieldPolicy({ plan, run }, context);
  const end = await waitForRun(run, call, patience);
  listeners.end();
  const notes = [...noted, ...listeners.notes, ...(patience?.notes ?? [])];
  const collected = { plan, run, collector, notes, shell, terminal };
  return end === null
    ? moveToBackground(collected, context)
    : finishForeground({ ...collected, end }, context);
}

async function finishForeground(
  finished: ForegroundRun & { readonly end: RunEnd },
  context: CallContext,
): Promise<CallResult> {
  const { plan, run, collector, notes, end } = finished;
  const outcome = toCallOutcome(end.ending);
  const settled = finished.shell?.finish({
    outcome,
    cwd: plan.run.cwd,
    secrets: plan.secrets,
    shell: end.shell,
  });
  if (plan.shell.stateSaving === 'dump') context.refillShellPool();
  const recorded = journalEnd({ run, end, outputBytes: collector.totalBytes }, context);
  const stateReset = settled?.stateReset ?? null;
  const artifact = isOutputKept(finished) ? `artifact://${run.id}` : null;
  const { head: headLines, tail: tailLines } = plan.request;
  const { shown, read } = await showForegroundOutput(
    { ...finished, artifact, headLines, tailLines },
    context,
  );
  const more = [...notes, ...(settled?.notes ?? []), ...recorded, ...read];
  const result = buildFinishedResult({ plan, run, end, outcome, shown, artifact, stateReset, more }, context);
  context.sweeper.sweepIfDue();
  return result;
}

/** The wait is over; the run is a job by now. */
async function moveToBackground(collected: ForegroundRun, context: CallContext): Promise<CallResult> {
  const { plan, run, notes } = collected;
  const { stateReset = null, notes: said = [] } = collected.shell?.moveToJob() ?? {};
  void run.ended.then((end) => journalEnd({ run, end, outputBytes: null }, context));
  context.jobEndNotifier.watchRun(run, context.call.onUpdate);
  const artifact = plan.run.keep.maxBytes === 0 ? null : `artifact://${run.id}`;
  const tailLines = plan.request.tail ?? JOB_PREVIEW_LINES;
  const { shown, read } = await showForegroundOutput(
    { ...collected, artifact, headLines: null, tailLines },
    context,
  );
  const more = [...notes, ...said, ...read];
  const stored = context.store.find(run.id);
  const { toWaitingForInput } = await import('../jobs/input-wait.ts');
  const waiting = stored === null ? null : toWaitingForInput(stored);
  return buildStartedResult({ plan, run, shown, waiting, stateReset, more }, context);
}

/** The store may fail while the command goes on; a note says so then, and there may be nothing to point at. */
function isOutputKept({ plan, run, end, collector }: ForegroundRun & { readonly end: RunEnd }): boolean {
  if (plan.run.keep.maxBytes === 0 || run.directory === '') return false;
  if (end.notes.length === 0 || collector.totalBytes === 0) return true;
  const { directory } = run;
  return (
    [...listSegments({ directory, stream: 'out' }), ...listSegments({ directory, stream: 'err' })].length > 0
  );
}

interface ShowRequest extends ForegroundRun {
  readonly artifact: string | null;
  readonly headLines: number | null;
  readonly tailLines: number | null;
}

/** What a profile shows of it, and what is to be said of how a terminal was read. */
async function showForegroundOutput(
  showing: ShowRequest,
  { profile, options }: CallContext,
): Promise<{ readonly shown: ShownOutput; readonly read: readonly string[] }> {
  const { plan, run, collector, terminal, artifact, headLines, tailLines } = showing;
  const directory = artifact === null ? null : run.directory;
  const raw = collector.read(directory);
  const { source: out, notes: read } = (await terminal?.read(raw.out)) ?? { source: raw.out, notes: [] };
  const shown = await profile.show({
    out,
    err: raw.err,
    artifact,
    mask: plan.mask,
    headLines,
    tailLines,
    condenser: async () => (plan.request.raw ? null : findCondenser(plan.request.command, options)),
  });
  return { shown, read };
}

/** What makes the output of a command shorter, or `null`. Looked for only when an output does not fit. */
export async function findCondenser(
  command: string,
  { minimizer }: Pick<ResolvedOptions, 'minimizer'>,
): Promise<Condenser | null> {
  const { enabled, only, except, condensers } = minimizer;
  if (!enabled) return null;
  const { stripWrappers: peel } = await import('../policy/unwrap/wrappers.ts');
  const { parsePlainCommands: plainCommands } = await import('../syntax/plain-commands.ts');
  const { chooseCondenser } = await import('../../engine/output/condensers/choose-condenser.ts');
  const commands = plainCommands(command);
  if (commands === null) return null;
  return chooseCondenser(commands.map(peel), { only, except, own: toCondensers(condensers) });
}
