import type { Run, RunEnd } from '../../engine/hosts/host.ts';
import type { CallOptions } from '../contract/call-options.ts';
import { onAbort } from '../jobs/serial-queue.ts';
import type { CallContext } from './context.ts';
import type { CallPlan } from './plan-call.ts';

/** What may end a wait before the run ends. */
export interface YieldPolicy {
  /** How long to wait; `null`: as long as it takes. */
  readonly waitMs: number | null;
  /** What is to be said about a wait that could not end. */
  readonly notes: readonly string[];
  /** Makes the run a job. `false`: there is no room for one more, so the wait goes on. */
  tryYield(): boolean;
  /** Calls back when there is another reason to leave. What it returns forgets about it. */
  onYieldRequest(leave: () => void): () => void;
}

/** The patience of a call; `null` where nothing but its end ends the wait. */
export function createYieldPolicy(
  started: { plan: CallPlan; run: Run },
  context: CallContext,
): YieldPolicy | null {
  const { profile, options, store, jobLimiter, instanceRuns, pendingWaits } = context;
  const { plan, run } = started;
  if (profile.background === null || !options.async.enabled) return null;
  // Who sits at a terminal sits there to the end.
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
    onYieldRequest: (leave) => {
      const forget = pendingWaits.add(leave);
      if (plan.run.input.kind !== 'open') return forget;
      // Who left its input open wants to hear when it is time to send something.
      const forgotten = new AbortController();
      const { signal } = forgotten;
      import('../jobs/input-wait.ts')
        .then(({ watchForInput }) => watchForInput({ ids: [run.id], store, onWait: leave, signal }))
        // A help only: without it the call waits like any other.
        .catch(() => undefined);
      return () => {
        forget();
        forgotten.abort();
      };
    },
  };
}

/** A call whose limit is not longer than its wait ends at its limit. */
function toYieldWaitMs({ request: { waitMs, timeLimit } }: CallPlan): number | null {
  if (waitMs === null || (timeLimit.ms !== null && timeLimit.ms <= waitMs)) return null;
  return waitMs;
}

/** Timers take no longer time than this; longer ones would ring at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Waits for the end of a run; the caller's signals end it. `null`: the wait is over, and the run goes on.
 */
export function waitForRun(
  run: Run,
  call: CallOptions,
  patience: YieldPolicy | null,
): Promise<RunEnd | null> {
  const { signal, killSignal } = call;
  return new Promise((resolve) => {
    let isStopping = false;
    const letGo: (() => void)[] = [];
    const settle = (end: RunEnd | null): void => {
      for (const forget of letGo) forget();
      resolve(end);
    };
    const stop = (graceMs?: number): void => {
      isStopping = true;
      void run.stop('abort', graceMs);
    };
    const leave = (): void => {
      // What is being ended is not let go.
      if (!isStopping && patience?.tryYield()) settle(null);
    };
    letGo.push(
      onAbort(signal, () => stop()),
      onAbort(killSignal, () => stop(0)),
    );
    void run.ended.then(settle);
    if (patience === null) return;
    letGo.push(
      startTimer(patience.waitMs, leave),
      patience.onYieldRequest(leave),
      onAbort(call.yieldSignal, leave),
    );
  });
}

function startTimer(ms: number | null, callback: () => void): () => void {
  if (ms === null || ms > MAX_TIMER_MS) return () => undefined;
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
