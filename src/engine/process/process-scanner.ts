import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { hasExited, type ProcessStat, ProcReader } from './proc-reader.ts';

/** The environment variable that every process of a run inherits. */
export const RUN_ID_VARIABLE = 'NACRE_RUN_ID';

/** The properties by which a process is recognised as a member of a run. */
export interface RunIdentity {
  readonly id: string;
  /** The command's process group; `null` when another process has its pid by now. */
  readonly group: number | null;
  /** The supervisor's session; `null` when another process has its pid by now. */
  readonly session: number | null;
  /** The supervisor leads its own group, which contains no process of the command. */
  readonly supervisor: number;
}

/** All processes that were alive during one scan, indexed by the properties that membership depends on. */
export class ProcessSnapshot {
  readonly #proc: ProcReader;
  readonly #stats: readonly ProcessStat[];
  readonly #byParent: ReadonlyMap<number, readonly ProcessStat[]>;
  readonly #byGroup: ReadonlyMap<number, readonly ProcessStat[]>;
  readonly #bySession: ReadonlyMap<number, readonly ProcessStat[]>;
  readonly #byMark: ReadonlyMap<string, readonly ProcessStat[]>;
  #byPipe: ReadonlyMap<string, readonly ProcessStat[]> | undefined;

  private constructor(stats: readonly ProcessStat[], proc: ProcReader) {
    this.#proc = proc;
    this.#stats = stats;
    this.#byParent = groupBy(stats, ({ parent }) => [parent]);
    this.#byGroup = groupBy(stats, ({ group }) => [group]);
    this.#bySession = groupBy(stats, ({ session }) => [session]);
    this.#byMark = groupBy(stats, ({ pid }) => [proc.variable(pid, RUN_ID_VARIABLE) ?? '']);
  }

  /**
   * Scans the processes with pids above `above` and those in `also`, without this process and its ancestors.
   */
  static capture(
    proc: ProcReader,
    { above, also }: { above: number; also: Iterable<number> },
  ): ProcessSnapshot {
    const forbidden = ownAncestors(proc);
    const pids = new Set([...also, ...proc.pids(above)]);
    const stats: ProcessStat[] = [];
    for (const pid of pids) {
      const stat = pid <= 1 || forbidden.has(pid) ? null : proc.stat(pid);
      if (stat !== null && !hasExited(stat)) stats.push(stat);
    }
    return new ProcessSnapshot(stats, proc);
  }

  /** The members of a run and all their descendants, whatever their environment; in no order. */
  membersOf({ id, group, session, supervisor }: RunIdentity): ProcessStat[] {
    const found = new Map<number, ProcessStat>();
    const add = (stats: readonly ProcessStat[] = []): void => {
      for (const stat of stats) {
        if (stat.pid === supervisor || stat.group === supervisor || found.has(stat.pid)) continue;
        found.set(stat.pid, stat);
        add(this.#byParent.get(stat.pid));
      }
    };
    // Group and session 0 belong to kernel threads and to processes from outside the pid namespace.
    const isNumber = (number: number | null): number is number => number !== null && number > 1;
    if (isNumber(group)) add(this.#byGroup.get(group));
    // A warm shell leads a session of its own.
    for (const leader of [session, group]) if (isNumber(leader)) add(this.#bySession.get(leader));
    add(this.#byMark.get(id));
    return [...found.values()];
  }

  /** The processes that have one of these pipes open, by either end, without the supervisor's group. */
  pipeHolders(pipes: readonly string[], supervisor: number): ProcessStat[] {
    this.#byPipe ??= groupBy(this.#stats, ({ pid }) => this.#proc.pipes(pid));
    const found = new Set(pipes.flatMap((pipe) => this.#byPipe?.get(pipe) ?? []));
    return [...found].filter(({ pid, group }) => pid !== supervisor && group !== supervisor);
  }
}

/**
 * A scan takes time in proportion to the number of processes, so at most half of the time is spent on scans.
 */
const REST_SHARE = 1;

/**
 * Shares one scan of all processes between the runs that need one at the same time: hundreds may be stopped at
 * once.
 */
export class ProcessScanner {
  readonly #proc: ProcReader;
  #next: Promise<ProcessSnapshot> | undefined;
  #above = Number.POSITIVE_INFINITY;
  readonly #also = new Set<number>();
  #endedAt = 0;
  #tookMs = 0;

  constructor(proc: ProcReader = new ProcReader()) {
    this.#proc = proc;
  }

  /**
   * Resolves with a scan that began after this call. `also`: a process with a lower pid that must be included.
   */
  scan({ above, also }: { readonly above: number; readonly also: number }): Promise<ProcessSnapshot> {
    this.#above = Math.min(this.#above, above);
    this.#also.add(also);
    this.#next ??= this.#walk();
    return this.#next;
  }

  async #walk(): Promise<ProcessSnapshot> {
    await nextTurn();
    const restMs = this.#endedAt + this.#tookMs * REST_SHARE - performance.now();
    if (restMs >= 1) await pause(restMs);
    const wanted = { above: this.#above, also: [...this.#also] };
    this.#next = undefined;
    this.#above = Number.POSITIVE_INFINITY;
    this.#also.clear();
    const startedAt = performance.now();
    const snapshot = ProcessSnapshot.capture(this.#proc, wanted);
    this.#endedAt = performance.now();
    this.#tookMs = this.#endedAt - startedAt;
    return snapshot;
  }
}

/** This process and its ancestors, which are never members of a run. */
function ownAncestors(proc: ProcReader): ReadonlySet<number> {
  const found = new Set([1]);
  for (let pid = process.pid; pid > 1 && !found.has(pid); pid = proc.stat(pid)?.parent ?? 0) found.add(pid);
  return found;
}

function groupBy<Key>(
  stats: readonly ProcessStat[],
  keysOf: (stat: ProcessStat) => readonly Key[],
): ReadonlyMap<Key, readonly ProcessStat[]> {
  const groups = new Map<Key, ProcessStat[]>();
  for (const stat of stats) {
    for (const key of keysOf(stat)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [stat]);
      else group.push(stat);
    }
  }
  return groups;
}
