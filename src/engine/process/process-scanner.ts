import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { hasExited, type ProcessStat, ProcReader } from './proc-reader.ts';

/** The variable that marks every process of a run, wherever it went. */
export const RUN_ID_VARIABLE = 'NACRE_RUN_ID';

/** What makes a process one of a run. */
export interface RunIdentity {
  readonly id: string;
  /** The command's group, unless somebody else has its number by now. */
  readonly group: number | null;
  /** The supervisor's session, likewise. */
  readonly session: number | null;
  /** Of the supervisor and its drainers: nobody of the command's. */
  readonly supervisor: number;
}

/** All processes that were alive at one moment, with whose they are. */
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

  /** Walks over all processes with higher numbers than one, and these besides; never over us and those we come from. */
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

  /** Everybody of a run, and their children, however these changed their environment; in no order. */
  membersOf({ id, group, session, supervisor }: RunIdentity): ProcessStat[] {
    const found = new Map<number, ProcessStat>();
    const add = (stats: readonly ProcessStat[] = []): void => {
      for (const stat of stats) {
        if (stat.pid === supervisor || stat.group === supervisor || found.has(stat.pid)) continue;
        found.set(stat.pid, stat);
        add(this.#byParent.get(stat.pid));
      }
    };
    // Group and session 0 are the kernel's threads, and whoever came from outside a namespace: nobody of ours.
    const isNumber = (number: number | null): number is number => number !== null && number > 1;
    if (isNumber(group)) add(this.#byGroup.get(group));
    // A shell that was kept ready leads a session of its own.
    for (const leader of [session, group]) if (isNumber(leader)) add(this.#bySession.get(leader));
    add(this.#byMark.get(id));
    return [...found.values()];
  }

  /** Who holds one of these pipes, by either end. */
  pipeHolders(pipes: readonly string[], supervisor: number): ProcessStat[] {
    this.#byPipe ??= groupBy(this.#stats, ({ pid }) => this.#proc.pipes(pid));
    const found = new Set(pipes.flatMap((pipe) => this.#byPipe?.get(pipe) ?? []));
    return [...found].filter(({ pid, group }) => pid !== supervisor && group !== supervisor);
  }
}

/** A walk takes as long as there are processes, so not more than half of the time is spent on walks. */
const REST_SHARE = 1;

/**
 * One walk over all processes for everybody who needs one at the same time: a hundred runs may be ended at once, and a
 * thousand may be going on.
 */
export class ProcessScanner {
  readonly #proc = new ProcReader();
  #next: Promise<ProcessSnapshot> | undefined;
  #above = Number.POSITIVE_INFINITY;
  readonly #also = new Set<number>();
  #endedAt = 0;
  #tookMs = 0;

  /** Resolves with a walk that began after this call. `also`: a process of a lower number that must not be passed over. */
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
    const survey = ProcessSnapshot.capture(this.#proc, wanted);
    this.#endedAt = performance.now();
    this.#tookMs = this.#endedAt - startedAt;
    return survey;
  }
}

/** This process and all it descends from, down to the first: never of a run, whatever else seems to be true. */
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
