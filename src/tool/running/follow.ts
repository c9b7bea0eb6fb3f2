import type { Run, RunEnd } from '../../engine/hosts/host.ts';
import type { CallOptions } from '../call-options.ts';
import { whenAborted } from '../when-aborted.ts';
import type { Patience } from './patience.ts';

/** Timers take no longer time than this; longer ones would ring at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Waits for the end of a run; the caller's signals end it. `null`: the wait is over, and the run goes on.
 */
export function follow(run: Run, call: CallOptions, patience: Patience | null): Promise<RunEnd | null> {
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
      if (!isStopping && patience?.leave()) settle(null);
    };
    letGo.push(
      whenAborted(signal, () => stop()),
      whenAborted(killSignal, () => stop(0)),
    );
    void run.ended.then(settle);
    if (patience === null) return;
    letGo.push(afterTime(patience.ms, leave), patience.watch(leave), whenAborted(call.yieldSignal, leave));
  });
}

function afterTime(ms: number | null, callback: () => void): () => void {
  if (ms === null || ms > LONGEST_TIMER_MS) return () => undefined;
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
