import { readFileSync } from 'node:fs';
import { isGone, type ProcessStat, ProcReader } from './proc.ts';

/** The variable that marks every process of a run, wherever it went. */
export const RUN_VARIABLE = 'NACRE_RUN_ID';

/** When the two began, in clock ticks since boot: a number that is used again has another one. */
export interface StartTimes {
  readonly command: number;
  readonly supervisor: number;
}

/** Who a run is: enough to find everybody of it. */
export interface TreeRoot {
  readonly id: string;
  /** The command's own process, leader of its group. */
  readonly pid: number;
  /** Leader of the session; its own group is the supervisor and its drainers, never the command's. */
  readonly supervisor: number;
  readonly startTimes: StartTimes | null;
  /** `performance.now()` when it was started here; `null` for a run of another process. */
  readonly startedAt: number | null;
  /** The output pipes as `/proc` names them (`pipe:[123]`): who holds one belongs to the run. */
  readonly pipes: readonly string[];
  /** When the command could begin, and the number that was given out last before; absent where nobody looked. */
  readonly begin?: { readonly at: number; readonly lastPid: number };
}

/** What it takes to end a run, whoever finds its processes. */
export type RunTree = Pick<Tree, keyof Tree>;

/** Machines make fewer processes than this per second, so younger runs cannot have seen the numbers wrap around. */
const MAX_FORKS_PER_SECOND = 200_000;

/** So many new processes are looked at one by one; a walk over all of them is cheaper when there are more. */
const MOST_NEW = 64;

/**
 * Finds everybody of a run: its group, its session, who carries its marker, who holds its output, and their children.
 *
 * Each look is fresh: a tree changes while it is being ended.
 */
export class Tree {
  readonly #root: TreeRoot;
  readonly #proc: ProcReader = new ProcReader();
  readonly #mark: string;

  constructor(root: TreeRoot) {
    this.#root = root;
    this.#mark = `${RUN_VARIABLE}=${root.id}`;
  }

  /**
   * Whether the command has surely left nobody behind: nobody but it and the supervisor's listener was made on this
   * machine since the supervisor was, or none of the few that were made since the command began is of this run.
   */
  isAlone(listener: number): boolean {
    const { pid, supervisor, begin } = this.#root;
    if (begin !== undefined)
      return !mayHaveWrapped(begin.at, begin.lastPid) && this.#isNobodyNew(begin.lastPid);
    const isNext = Math.min(pid, listener) === supervisor + 1 && Math.max(pid, listener) === supervisor + 2;
    return isNext && this.#lowestPid() > 0 && this.#proc.lastPid() === supervisor + 2;
  }

  #isNobodyNew(since: number): boolean {
    const last = this.#proc.lastPid();
    // Numbers that wrapped around, or too many to ask for one by one.
    if (!(last >= since && last - since <= MOST_NEW)) return false;
    const numbers = this.#validNumbers();
    const forbidden = new Set([process.pid, this.#root.supervisor]);
    for (let pid = since + 1; pid <= last; pid++) {
      const stat = forbidden.has(pid) ? null : this.#proc.stat(pid);
      if (stat === null || isGone(stat) || stat.group === this.#root.supervisor) continue;
      if (this.#belongs(stat, numbers)) return false;
      // The child of one that belongs, which may have gone meanwhile, is found by a walk.
      if (stat.parent === this.#root.pid) return false;
    }
    return true;
  }

  /** Everybody who is alive, in no order. */
  members(): ProcessStat[] {
    const candidates = this.#candidates();
    const numbers = this.#validNumbers();
    const found = new Map<number, ProcessStat>();
    for (const stat of candidates) if (this.#belongs(stat, numbers)) found.set(stat.pid, stat);
    addChildren(candidates, found);
    return [...found.values()];
  }

  /** Those who hold an output pipe and were not found any other way: they cleared their environment and left. */
  holders(): ProcessStat[] {
    if (this.#root.pipes.length === 0) return [];
    return this.#candidates().filter((stat) =>
      this.#root.pipes.some((pipe) => this.#proc.holds(stat.pid, pipe)),
    );
  }

  /** The same process, still alive? */
  isAlive({ pid, startTime }: ProcessStat): boolean {
    const now = this.#proc.stat(pid);
    return !isGone(now) && now?.startTime === startTime;
  }

  isOfGroup(stat: ProcessStat): boolean {
    return stat.group > 1 && stat.group === this.#root.pid;
  }

  /** A signal to one process, if it is still that one. */
  signal(member: ProcessStat, signal: NodeJS.Signals): void {
    if (this.isAlive(member)) send(member.pid, signal);
  }

  /** A signal to the command's group in one step: nobody in it can fork away from it. */
  signalGroup(signal: NodeJS.Signals): void {
    signalGroup(this.#root.pid, signal);
  }

  name(stat: ProcessStat): { pid: number; command: string; startTime: number } {
    return { pid: stat.pid, command: this.#proc.commandLine(stat), startTime: stat.startTime };
  }

  /** Alive processes that could be of this run: not we or those we come from, not the supervisor's own. */
  #candidates(): ProcessStat[] {
    const { pid, supervisor } = this.#root;
    const forbidden = this.#ourselves().add(supervisor);
    const stats: ProcessStat[] = [];
    const lowest = this.#lowestPid();
    const add = (pid: number): void => {
      const stat = forbidden.has(pid) ? null : this.#proc.stat(pid);
      if (stat !== null && !isGone(stat) && stat.group !== supervisor) stats.push(stat);
    };
    // A shell that was kept ready is older than what it runs.
    if (pid > 1 && pid <= lowest) add(pid);
    for (const other of this.#proc.pids(lowest)) add(other);
    return stats;
  }

  #belongs(stat: ProcessStat, { group, session }: { group: number | null; session: number | null }): boolean {
    // Group and session 0 are the kernel's threads, and whoever came from outside a namespace: nobody of ours.
    if (stat.group > 1 && stat.group === group) return true;
    // A shell that was kept ready leads a session of its own.
    if (stat.session > 1 && (stat.session === session || stat.session === group)) return true;
    return this.#proc.hasVariable(stat.pid, this.#mark);
  }

  /** A number that somebody else has by now says nothing about who belongs to us. */
  #validNumbers(): { group: number | null; session: number | null } {
    const { pid, supervisor, startTimes } = this.#root;
    return {
      group: this.#isStill(pid, startTimes?.command) ? pid : null,
      session: this.#isStill(supervisor, startTimes?.supervisor) ? supervisor : null,
    };
  }

  #isStill(pid: number, startTime: number | undefined): boolean {
    const now = this.#proc.stat(pid);
    return now === null || !startTime || now.startTime === startTime;
  }

  /** This process and all it descends from, down to the first: never of a run, whatever else seems to be true. */
  #ourselves(): Set<number> {
    const found = new Set([1]);
    for (let pid = process.pid; pid > 1 && !found.has(pid); pid = this.#proc.stat(pid)?.parent ?? 0)
      found.add(pid);
    return found;
  }

  /** A young run's processes all have higher numbers than any process before it; later the numbers may have wrapped around. */
  #lowestPid(): number {
    const { startedAt, supervisor, begin } = this.#root;
    if (begin !== undefined) return mayHaveWrapped(begin.at, begin.lastPid) ? 0 : begin.lastPid;
    if (startedAt === null) return 0;
    return mayHaveWrapped(startedAt, supervisor) ? 0 : supervisor;
  }
}

/** Whether the numbers of processes may have come round since a moment at which one of them was given out. */
function mayHaveWrapped(moment: number, pid: number): boolean {
  const seconds = (performance.now() - moment) / 1000;
  return seconds * MAX_FORKS_PER_SECOND >= readMaxPid() - pid;
}

/** Children of members are members, however they changed their environment. */
function addChildren(candidates: readonly ProcessStat[], found: Map<number, ProcessStat>): void {
  let size: number;
  do {
    size = found.size;
    for (const stat of candidates) if (found.has(stat.parent)) found.set(stat.pid, stat);
  } while (found.size > size);
}

/** A signal to a group in one step; `pid` is its leader. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  send(-pid, signal);
}

function send(pid: number, signal: NodeJS.Signals): void {
  // 0 is our own group, -1 is everybody: neither is ever meant.
  if (Math.abs(pid) < 2) return;
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: gone. EPERM: another user's, after sudo; it will be named as a survivor.
  }
}

function readMaxPid(): number {
  try {
    return Number(readFileSync('/proc/sys/kernel/pid_max', 'latin1'));
  } catch {
    return 0;
  }
}
