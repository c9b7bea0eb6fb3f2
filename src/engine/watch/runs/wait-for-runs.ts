import { setTimeout as sleep } from 'node:timers/promises';
import { type Mask, NO_MASK } from '../../output/mask.ts';
import type { RunStore, StoredRun } from '../../run/record/store.ts';
import { type ConditionWatch, watchCondition } from './condition-watch.ts';
import { LookLimit } from './look-limit.ts';
import type { WaitCondition, WaitHold, WaitLapse, WaitResult } from './wait-condition.ts';

export interface WaitOptions {
  readonly store: Pick<RunStore, 'find'>;
  /** Left out, it waits until something holds, or nothing can. 0 is one look. */
  readonly timeoutMs?: number;
  /** Ends the wait, never a run. */
  readonly signal?: AbortSignal;
  /** What must not be found, nor told, in the output. */
  readonly mask?: Mask;
}

const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 250;
/** A wait is noticed late by this part of its length, up to the longest pause. */
const PAUSE_SHARE = 0.1;

/**
 * Waits until one of several conditions holds, the time is over, or none of them can hold any more.
 *
 * Nothing but what is on disk is asked, so it does not matter who started the runs, and any number may wait. It looks again and
 * again, ever less often; watching the files would be woken by every write of a run that prints much.
 */
export async function waitForRuns(
  conditions: readonly WaitCondition[],
  options: WaitOptions,
): Promise<WaitResult> {
  const { timeoutMs = Number.POSITIVE_INFINITY, signal } = options;
  const startedAt = performance.now();
  const stop = new LookLimit(timeoutMs, signal);
  const wait = new RunWait(conditions, { ...options, signal: stop.signal });
  try {
    for (;;) {
      const result = await wait.look();
      if (result !== null) return result;
      const elapsed = performance.now() - startedAt;
      if (stop.signal.aborted)
        return signal?.aborted ? { kind: 'aborted' } : { kind: 'time', searched: 'part' };
      if (elapsed >= timeoutMs) return { kind: 'time', searched: 'all' };
      await pause(Math.min(pauseAfter(elapsed), timeoutMs - elapsed), stop.signal);
    }
  } finally {
    stop.release();
  }
}

type StoppableOptions = WaitOptions & { readonly signal: AbortSignal };

/** One look after the other at what is still open. */
class RunWait {
  readonly #options: StoppableOptions;
  readonly #lapsed: WaitLapse[] = [];
  /** There was nothing to wait for but the time. */
  readonly #isTimeOnly: boolean;
  #watches: readonly ConditionWatch[];

  constructor(conditions: readonly WaitCondition[], options: StoppableOptions) {
    const { mask = NO_MASK } = options;
    this.#options = options;
    this.#isTimeOnly = conditions.length === 0 && options.timeoutMs !== undefined;
    this.#watches = conditions.map((each, index) => watchCondition(each, { index, mask }));
  }

  /** `null`: go on waiting, unless the signal was given. */
  async look(): Promise<WaitResult | null> {
    const { store, signal } = this.#options;
    if (signal.aborted) return null;
    const find = findOnce(store);
    const verdicts = await Promise.all(this.#watches.map((watch) => watch({ find, signal })));
    const held = verdicts.filter(isHold);
    if (held.length > 0) return { kind: 'held', held };
    // What was not looked at to its end says nothing.
    if (signal.aborted) return null;
    this.#lapsed.push(...verdicts.filter(isLapse));
    this.#watches = this.#watches.filter((_, index) => verdicts[index] === null);
    return this.#watches.length > 0 || this.#isTimeOnly ? null : { kind: 'never', lapsed: this.#lapsed };
  }
}

type Verdict = WaitHold | WaitLapse | null;

function isHold(verdict: Verdict): verdict is WaitHold {
  return verdict !== null && verdict.kind !== 'lapsed';
}

function isLapse(verdict: Verdict): verdict is WaitLapse {
  return verdict?.kind === 'lapsed';
}

/** Several conditions of a run are judged by one look at it. */
function findOnce(store: Pick<RunStore, 'find'>): (run: string) => StoredRun | null {
  const known = new Map<string, StoredRun | null>();
  return (run) => {
    let found = known.get(run);
    if (found === undefined) {
      found = store.find(run);
      known.set(run, found);
    }
    return found;
  };
}

function pauseAfter(elapsedMs: number): number {
  return Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, elapsedMs * PAUSE_SHARE));
}

/** Resolves after the time, or when the signal is given. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
