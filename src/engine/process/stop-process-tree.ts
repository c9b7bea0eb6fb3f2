import type { ProcessStat } from './proc-reader.ts';
import type { ProcessTree } from './process-tree.ts';

/** How long after KILL processes are still looked for before they are reported as survivors. */
const KILL_WAIT_MS = 900;

/**
 * Pauses between scans: a small tree is gone in a millisecond, and a large tree must not be scanned
 * continuously.
 */
const SCAN_PAUSES_MS = [1, 1, 2, 4, 8, 15, 25, 50];

const UNSCANNED_NOTE =
  'The processes of the command could not be listed, because /proc cannot be read: its process group was signalled, and processes outside of it may still be running.';

/** How a tree was stopped. */
export interface TreeStopResult {
  /** SIGTERM was not enough. */
  readonly forced: boolean;
  readonly survivors: readonly ProcessStat[];
  /** Why survivors may be missing; empty for a stop that saw every process. */
  readonly notes: readonly string[];
}

/**
 * Stops a tree: SIGTERM, a grace period, SIGKILL, with repeated scans until no process is left.
 *
 * `wakeSignal` starts the next scan at once, for example when the command has ended.
 */
export async function stopProcessTree(
  tree: ProcessTree,
  { grace, wakeSignal }: { grace: GraceDeadline; wakeSignal: WakeSignal },
): Promise<TreeStopResult> {
  const term = new SignalRound(tree, wakeSignal);
  if (await term.run({ signals: ['SIGTERM', 'SIGCONT'], until: grace }))
    return { forced: false, survivors: [], notes: term.notes };
  const kill = new SignalRound(tree, wakeSignal);
  const gone = await kill.run({ signals: ['SIGKILL'], until: new GraceDeadline(KILL_WAIT_MS) });
  return { forced: true, survivors: gone ? [] : kill.remaining, notes: kill.notes };
}

/** The time a tree has to end by itself. It can be shortened while it runs, as by a second Ctrl-C. */
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

/** Ends the pause of a waiting loop early. */
export class WakeSignal {
  #wake: (() => void) | undefined;

  wake(): void {
    this.#wake?.();
  }

  /** Resolves after the time, or on `wake`. */
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

/** One round of signals: each member gets them once, including members that appear later. */
class SignalRound {
  readonly #tree: ProcessTree;
  readonly #wakeSignal: WakeSignal;
  readonly #signaled = new Map<number, ProcessStat>();
  #isBlind = false;

  constructor(tree: ProcessTree, wakeSignal: WakeSignal) {
    this.#tree = tree;
    this.#wakeSignal = wakeSignal;
  }

  get remaining(): ProcessStat[] {
    return [...this.#signaled.values()].filter((member) => this.#tree.isAlive(member));
  }

  get notes(): readonly string[] {
    return this.#isBlind ? [UNSCANNED_NOTE] : [];
  }

  /** Resolves with whether all processes are gone. */
  async run({
    signals,
    until,
  }: {
    signals: readonly NodeJS.Signals[];
    until: GraceDeadline;
  }): Promise<boolean> {
    for (let round = 0; ; round++) {
      // Known members are checked first: a scan is needed only when they are gone.
      if (round === 0 || this.remaining.length === 0) {
        if (!(await this.#signalNew(signals))) return true;
      }
      const remaining = until.remainingMs;
      if (remaining <= 0) return false;
      await this.#wakeSignal.sleep(Math.min(SCAN_PAUSES_MS[round] ?? 50, remaining));
    }
  }

  /**
   * Signals members that were not signalled yet; returns whether any member is alive. The scan comes first: a
   * process that left group and session is known only as the child of a living parent.
   */
  async #signalNew(signals: readonly NodeJS.Signals[]): Promise<boolean> {
    const members = await this.#tree.scan();
    if (members.length === 0 && !this.#tree.canScan()) return this.#signalGroup(signals);
    const fresh = members.filter((member) => this.#signaled.get(member.pid)?.startTime !== member.startTime);
    for (const member of fresh) this.#signaled.set(member.pid, member);
    // The group is signalled in one step, so that no process escapes by forking; its members are not signalled
    // twice.
    const others = fresh.filter((member) => !this.#tree.isInGroup(member));
    for (const signal of signals) {
      if (others.length < fresh.length) this.#tree.signalGroup(signal);
      for (const member of others) this.#tree.signal(member, signal);
    }
    return members.length > 0;
  }

  /** Signals the group once; returns whether any process is left in it. */
  #signalGroup(signals: readonly NodeJS.Signals[]): boolean {
    if (!this.#isBlind) for (const signal of signals) this.#tree.signalGroup(signal);
    this.#isBlind = true;
    return this.#tree.hasGroup();
  }
}
