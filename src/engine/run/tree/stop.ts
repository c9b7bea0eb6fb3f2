import type { ProcessStat } from './proc.ts';
import type { RunTree } from './tree.ts';

/** How long after KILL we keep looking before we name those who are left. */
const KILL_PATIENCE_MS = 900;

/** The waits between looks: a small tree is gone in a millisecond, a large one should not be looked at all the time. */
const PAUSES_MS = [1, 1, 2, 4, 8, 15, 25, 50];

export interface StopResult {
  /** TERM was not enough. */
  readonly forced: boolean;
  readonly survivors: readonly ProcessStat[];
}

/**
 * Ends a tree: TERM, a grace, KILL; looks again until nobody is left.
 *
 * `nudge` tells that something happened (the command ended), so that the next look comes at once.
 */
export async function stopTree(
  tree: RunTree,
  { grace, nudge }: { grace: Grace; nudge: Nudge },
): Promise<StopResult> {
  const term = new Hunt(tree, nudge);
  if (await term.run({ signals: ['SIGTERM', 'SIGCONT'], until: grace }))
    return { forced: false, survivors: [] };
  const kill = new Hunt(tree, nudge);
  const gone = await kill.run({ signals: ['SIGKILL'], until: new Grace(KILL_PATIENCE_MS) });
  return { forced: true, survivors: gone ? [] : kill.left };
}

/** How long a tree has to end by itself. It can be made shorter while it runs: a second Ctrl-C. */
export class Grace {
  #until = Number.POSITIVE_INFINITY;

  constructor(ms: number = Number.POSITIVE_INFINITY) {
    this.shorten(ms);
  }

  get left(): number {
    return this.#until - performance.now();
  }

  shorten(ms: number): void {
    this.#until = Math.min(this.#until, performance.now() + ms);
  }
}

/** Wakes a waiting hunt before its pause is over. */
export class Nudge {
  #wake: (() => void) | undefined;

  now(): void {
    this.#wake?.();
  }

  /** Resolves after the time, or when nudged. */
  async pause(ms: number): Promise<void> {
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
class Hunt {
  readonly #tree: RunTree;
  readonly #nudge: Nudge;
  readonly #signaled = new Map<number, ProcessStat>();

  constructor(tree: RunTree, nudge: Nudge) {
    this.#tree = tree;
    this.#nudge = nudge;
  }

  get left(): ProcessStat[] {
    return [...this.#signaled.values()].filter((member) => this.#tree.isAlive(member));
  }

  /** Resolves with whether everybody is gone. */
  async run({ signals, until }: { signals: readonly NodeJS.Signals[]; until: Grace }): Promise<boolean> {
    for (let look = 0; ; look++) {
      // Those we know of first: a walk over all processes is worth it only when they are gone.
      if (look === 0 || this.left.length === 0) {
        if (!(await this.#signalNew(signals))) return true;
      }
      const remaining = until.left;
      if (remaining <= 0) return false;
      await this.#nudge.pause(Math.min(PAUSES_MS[look] ?? 50, remaining));
    }
  }

  /**
   * Signals everybody who was not yet; returns whether anybody is alive. The look comes first: who left everything else
   * behind is known only as the child of a parent that is still there.
   */
  async #signalNew(signals: readonly NodeJS.Signals[]): Promise<boolean> {
    const members = await this.#tree.look();
    const fresh = members.filter((member) => this.#signaled.get(member.pid)?.startTime !== member.startTime);
    for (const member of fresh) this.#signaled.set(member.pid, member);
    // The group in one step, so that nobody in it can fork away; and nobody is told twice.
    const others = fresh.filter((member) => !this.#tree.isOfGroup(member));
    for (const signal of signals) {
      if (others.length < fresh.length) this.#tree.signalGroup(signal);
      for (const member of others) this.#tree.signal(member, signal);
    }
    return members.length > 0;
  }
}
