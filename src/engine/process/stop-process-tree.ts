import type { ProcessStat } from './proc-reader.ts';
import type { ProcessTree } from './process-tree.ts';

/** How long after KILL we keep looking before we name those who are left. */
const KILL_WAIT_MS = 900;

/** The waits between looks: a small tree is gone in a millisecond, a large one should not be looked at all the time. */
const SCAN_PAUSES_MS = [1, 1, 2, 4, 8, 15, 25, 50];

export interface TreeStopResult {
  /** TERM was not enough. */
  readonly forced: boolean;
  readonly survivors: readonly ProcessStat[];
}

/**
 * Ends a tree: TERM, a grace, KILL; looks again until nobody is left.
 *
 * `nudge` tells that something happened (the command ended), so that the next look comes at once.
 */
export async function stopProcessTree(
  tree: ProcessTree,
  { grace, nudge }: { grace: GraceDeadline; nudge: WakeSignal },
): Promise<TreeStopResult> {
  const term = new SignalRound(tree, nudge);
  if (await term.run({ signals: ['SIGTERM', 'SIGCONT'], until: grace }))
    return { forced: false, survivors: [] };
  const kill = new SignalRound(tree, nudge);
  const gone = await kill.run({ signals: ['SIGKILL'], until: new GraceDeadline(KILL_WAIT_MS) });
  return { forced: true, survivors: gone ? [] : kill.remaining };
}

/** How long a tree has to end by itself. It can be made shorter while it runs: a second Ctrl-C. */
export class GraceDeadline {
  #until = Number.POSITIVE_INFINITY;

  constructor(ms: number = Number.POSITIVE_INFINITY) {
    this.shorten(ms);
  }

  get remainingMs(): number {
    return this.#until - performance.now();
  }

  shorten(ms: number): void {
    this.#until = Math.min(this.#until, performance.now() + ms);
  }
}

/** Wakes a waiting hunt before its pause is over. */
export class WakeSignal {
  #wake: (() => void) | undefined;

  wake(): void {
    this.#wake?.();
  }

  /** Resolves after the time, or when nudged. */
  async sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

/** One round of signals: each member gets them once, also those who appear later. */
class SignalRound {
  readonly #tree: ProcessTree;
  readonly #nudge: WakeSignal;
  readonly #signaled = new Map<number, ProcessStat>();

  constructor(tree: ProcessTree, nudge: WakeSignal) {
    this.#tree = tree;
    this.#nudge = nudge;
  }

  get remaining(): ProcessStat[] {
    return [...this.#signaled.values()].filter((member) => this.#tree.isAlive(member));
  }

  /** Resolves with whether everybody is gone. */
  async run({
    signals,
    until,
  }: {
    signals: readonly NodeJS.Signals[];
    until: GraceDeadline;
  }): Promise<boolean> {
    for (let look = 0; ; look++) {
      // Those we know of first: a walk over all processes is worth it only when they are gone.
      if (look === 0 || this.remaining.length === 0) {
        if (!(await this.#signalNew(signals))) return true;
      }
      const remaining = until.remainingMs;
      if (remaining <= 0) return false;
      await this.#nudge.sleep(Math.min(SCAN_PAUSES_MS[look] ?? 50, remaining));
    }
  }

  /**
   * Signals everybody who was not yet; returns whether anybody is alive. The look comes first: who left everything else
   * behind is known only as the child of a parent that is still there.
   */
  async #signalNew(signals: readonly NodeJS.Signals[]): Promise<boolean> {
    const members = await this.#tree.scan();
    const fresh = members.filter((member) => this.#signaled.get(member.pid)?.startTime !== member.startTime);
    for (const member of fresh) this.#signaled.set(member.pid, member);
    // The group in one step, so that nobody in it can fork away; and nobody is told twice.
    const others = fresh.filter((member) => !this.#tree.isInGroup(member));
    for (const signal of signals) {
      if (others.length < fresh.length) this.#tree.signalGroup(signal);
      for (const member of others) this.#tree.signal(member, signal);
    }
    return members.length > 0;
  }
}
