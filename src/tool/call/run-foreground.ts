import type { Run, RunEnd } from '../../engine/hosts/host.ts';
import type { Condenser } from '../../engine/output/condensers/condenser.ts';
import { listSegments } from '../../engine/output/raw/output-segments.ts';
import type { RawOutput } from '../../engine/output/raw/raw-output.ts';
import type { TerminalSize } from '../../engine/run/run-terminal.ts';
import type { CallOptions, LiveTerminal } from '../contract/call-options.ts';
import { type CallResult, toCallOutcome } from '../contract/result.ts';
import { onAbort } from '../jobs/instance-runs.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import { toCondensers } from '../options/minimizer-options.ts';
import type { ShownOutput } from '../profiles/profile.ts';
import type { ShellCall } from '../sessions/shell-call.ts';
import { buildFinishedResult, buildStartedResult } from './call-results.ts';
import type { CallContext } from './context.ts';
import { CallListeners, OutputCollector } from './output-collector.ts';
import type { CallPlan } from './plan-call.ts';
import { journalEnd, journalStart, startRun } from './start-run.ts';

/** A run with the output of its foreground phase. */
interface ForegroundRun {
  readonly plan: CallPlan;
  readonly run: Run;
  readonly collector: OutputCollector;
  /** Notes collected so far. */
  readonly notes: readonly string[];
  readonly shell: ShellCall | null;
  readonly terminal: AttachedTerminal | null;
}

/** Lines shown of a run that continues as a job, unless the call sets `tail`. */
const JOB_PREVIEW_LINES = 100;

/** Runs a command and waits until it ends or continues as a job. */
export async function runForeground(plan: CallPlan, context: CallContext): Promise<CallResult> {
  const { profile, call } = context;
  const collector = new OutputCollector({
    ...profile.window,
    apart: profile.streams === 'apart',
    streams: plan.run.streams,
  });
  const listeners = new CallListeners(call, { collector, mask: plan.mask });
  const shell = context.sessionShell?.beginCall(plan.shell) ?? null;
  const request = {
    ...plan.run,
    onBytes: listeners.onBytes,
    ...(call.signal ? { signal: call.signal } : {}),
  };
  const run = await startRun(request, context).catch((error: unknown) => {
    shell?.release();
    throw error;
  });
  context.instanceRuns.addForeground(run);
  listeners.started(run);
  const terminal = plan.run.terminal === null ? null : new AttachedTerminal(run, plan.run.terminal);
  if (terminal !== null) call.terminal?.onStart?.(terminal.handle);
  const journalNotes = journalStart({ plan, run }, context);
  const yieldPolicy = createYieldPolicy({ plan, run }, context);
  const end = await waitForRun(run, call, yieldPolicy);
  listeners.end();
  const notes = [...journalNotes, ...listeners.notes, ...(yieldPolicy?.notes ?? [])];
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

/** Builds the result of a run that has just become a job. */
async function moveToBackground(collected: ForegroundRun, context: CallContext): Promise<CallResult> {
  const { plan, run, notes } = collected;
  const { stateReset = null, notes: shellNotes = [] } = collected.shell?.moveToJob() ?? {};
  void run.ended.then((end) => journalEnd({ run, end, outputBytes: null }, context));
  context.jobEndNotifier.watchRun(run, context.call.onUpdate);
  const artifact = plan.run.keep.maxBytes === 0 ? null : `artifact://${run.id}`;
  const tailLines = plan.request.tail ?? JOB_PREVIEW_LINES;
  const { shown, read } = await showForegroundOutput(
    { ...collected, artifact, headLines: null, tailLines },
    context,
  );
  const more = [...notes, ...shellNotes, ...read];
  const stored = context.store.find(run.id);
  const { toWaitingForInput } = await import('../jobs/input-wait.ts');
  const waiting = stored === null ? null : toWaitingForInput(stored);
  return buildStartedResult({ plan, run, shown, waiting, stateReset, more }, context);
}

/** Storage may fail while the command runs; then there is no output file to refer to. */
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

/** Renders the output with the profile, and returns notes about reading a terminal. */
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
    maxBytes: options.output.maxBytes,
    condenser: async () => (plan.request.raw ? null : findCondenser(plan.request.command, options)),
  });
  return { shown, read };
}

/** Finds a condenser for the output of a command. Called only when the output does not fit. */
export async function findCondenser(
  command: string,
  { minimizer }: Pick<ResolvedOptions, 'minimizer'>,
): Promise<Condenser | null> {
  const { enabled, only, except, condensers } = minimizer;
  if (!enabled) return null;
  const { stripWrappers } = await import('../policy/unwrap/wrappers.ts');
  const { parsePlainCommands } = await import('../syntax/plain-commands.ts');
  const { chooseCondenser } = await import('../../engine/output/condensers/choose-condenser.ts');
  const commands = parsePlainCommands(command);
  if (commands === null) return null;
  return chooseCondenser(commands.map(stripWrappers), { only, except, own: toCondensers(condensers) });
}

/** Decides when a call stops waiting and its run becomes a job. */
export interface YieldPolicy {
  /** Time to wait; `null` for no limit. */
  readonly waitMs: number | null;
  /** Notes about a run that could not become a job. */
  readonly notes: readonly string[];
  /** Turns the run into a job; `false` when the job limit is reached and the call keeps waiting. */
  tryYield(): boolean;
  /** Calls back on other reasons to yield; returns a function that removes the callback. */
  onYieldRequest(requestYield: () => void): () => void;
}

/** Creates the yield policy of a call; `null` when the call waits until its run ends. */
export function createYieldPolicy(
  started: { plan: CallPlan; run: Run },
  context: CallContext,
): YieldPolicy | null {
  const { profile, options, store, jobLimiter, instanceRuns, pendingWaits } = context;
  const { plan, run } = started;
  if (profile.background === null || !options.async.enabled) return null;
  // Terminal calls are never moved to the background automatically.
  if (plan.run.terminal !== null || run.terminalId !== undefined) return null;
  const notes: string[] = [];
  return {
    waitMs: toYieldWaitMs(plan),
    notes,
    tryYield: () => {
      if (!jobLimiter.hasCapacity()) {
        if (notes.length === 0) notes.push(jobLimiter.renderLimitNote());
        return false;
      }
      run.release();
      instanceRuns.moveToBackground(run);
      return true;
    },
    onYieldRequest: (requestYield) => {
      const removeWait = pendingWaits.add(requestYield);
      if (plan.run.input.kind !== 'open') return removeWait;
      // A call with open input yields when the command waits for input, so that the caller can send some.
      const stopWatching = new AbortController();
      const { signal } = stopWatching;
      import('../jobs/input-wait.ts')
        .then(({ watchForInput }) => watchForInput({ ids: [run.id], store, onWait: requestYield, signal }))
        // Best effort: without the watcher the call waits for its time limit.
        .catch(() => undefined);
      return () => {
        removeWait();
        stopWatching.abort();
      };
    },
  };
}

/** A time limit that is not longer than the wait stops the run first. */
function toYieldWaitMs({ request: { waitMs, timeLimit } }: CallPlan): number | null {
  if (waitMs === null || (timeLimit.ms !== null && timeLimit.ms <= waitMs)) return null;
  return waitMs;
}

/** Longest delay of `setTimeout`; Node fires longer timers at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Waits for the end of a run and stops it on the caller's signals. Resolves to `null` when the run became a
 * job.
 */
export function waitForRun(
  run: Run,
  call: CallOptions,
  yieldPolicy: YieldPolicy | null,
): Promise<RunEnd | null> {
  const { signal, killSignal } = call;
  return new Promise((resolve) => {
    let isStopping = false;
    const cleanups: (() => void)[] = [];
    const settle = (end: RunEnd | null): void => {
      for (const cleanUp of cleanups) cleanUp();
      resolve(end);
    };
    const stop = (graceMs?: number): void => {
      isStopping = true;
      void run.stop('abort', graceMs);
    };
    const requestYield = (): void => {
      // A run that is being stopped cannot become a job.
      if (!isStopping && yieldPolicy?.tryYield()) settle(null);
    };
    cleanups.push(
      onAbort(signal, () => stop()),
      onAbort(killSignal, () => stop(0)),
    );
    void run.ended.then(settle);
    if (yieldPolicy === null) return;
    cleanups.push(
      startTimer(yieldPolicy.waitMs, requestYield),
      yieldPolicy.onYieldRequest(requestYield),
      onAbort(call.yieldSignal, requestYield),
    );
  });
}

function startTimer(ms: number | null, callback: () => void): () => void {
  if (ms === null || ms > MAX_TIMER_MS) return () => undefined;
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

/** Text of a terminal screen with scrollback. */
interface ScreenText {
  readonly source: RawOutput;
  readonly notes: readonly string[];
}

/** The terminal of a foreground run, with its current size. */
class AttachedTerminal {
  readonly handle: LiveTerminal;
  #size: TerminalSize;

  constructor(run: Run, size: TerminalSize) {
    this.#size = size;
    this.handle = {
      runId: run.id,
      send: (bytes) => run.send(bytes),
      resize: async (next) => {
        await run.resize(next);
        this.#size = next;
      },
    };
  }

  /** Renders the output at the current size, because programs redraw after a resize. */
  async read(out: RawOutput): Promise<ScreenText> {
    const { toScreenText } = await import('../jobs/terminal-screen.ts');
    return toScreenText(out, this.#size);
  }
}
