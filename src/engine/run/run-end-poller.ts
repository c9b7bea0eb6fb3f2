import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { ProcReader } from '../process/proc-reader.ts';
import { isPidInUse } from '../process/process-identity.ts';
import { type EndedRunState, readRunState } from './run-state.ts';

/** A run without a connection to its supervisor. */
export interface PolledRun {
  readonly id: string;
  readonly directory: string;
  readonly pid: number;
}

interface PolledRunEntry extends PolledRun {
  readonly onEnd: (state: EndedRunState) => void;
}

/** A new run is polled more often, because it may end soon. */
const MIN_POLL_MS = 25;
const MAX_POLL_MS = 250;
const SHARE_OF_AGE = 0.05;

/** Checking a run costs some microseconds, so the interval grows with the number of runs. */
const PAUSE_PER_RUN_MS = 5;

/** A pid may belong to another process by now, so every so often the record of every run is read. */
const POLLS_UNTIL_FULL_CHECK = 20;

/**
 * Detects the ends of any number of runs from files, without an open descriptor per run.
 *
 * A supervisor that ends appends a row to the index, so reading the end of the index is usually enough. A run
 * whose supervisor was killed, or that left processes, has no row yet: its process is checked, less often.
 */
export class RunEndPoller {
  readonly #runs = new Map<string, PolledRunEntry>();
  readonly #proc = new ProcReader();
  readonly #indexFile: string;
  #index: IndexTail | undefined;
  #youngestAt = 0;
  #checkedAt = 0;
  #checks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(indexFile: string) {
    this.#indexFile = indexFile;
  }

  /** Calls `onEnd` once, when the run is over. The timer does not keep the program alive. */
  follow({ id, directory, pid }: PolledRun, onEnd: (state: EndedRunState) => void): void {
    this.#runs.set(id, { id, directory, pid, onEnd });
    this.#index ??= new IndexTail(this.#indexFile);
    this.#youngestAt = performance.now();
    this.#arm(MIN_POLL_MS);
  }

  /** Schedules a check of all runs soon. */
  pollSoon(): void {
    this.#checkedAt = 0;
    this.#arm(MIN_POLL_MS);
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = this.#runs.size === 0 ? undefined : setTimeout(() => this.#poll(), ms).unref();
  }

  #poll(): void {
    const ids = this.#index?.readNewIds() ?? null;
    const isDue = performance.now() - this.#checkedAt >= this.#runs.size * PAUSE_PER_RUN_MS;
    if (ids === null || isDue) this.#checkAll();
    else for (const id of ids) this.#check(this.#runs.get(id));
    this.#arm(this.#pause());
  }

  #checkAll(): void {
    this.#checkedAt = performance.now();
    this.#checks += 1;
    const isFullCheck = this.#checks % POLLS_UNTIL_FULL_CHECK === 0;
    for (const run of this.#runs.values()) if (isFullCheck || !isPidInUse(run.pid)) this.#check(run);
  }

  #check(run: PolledRunEntry | undefined): void {
    if (run === undefined) return;
    const state = readRunState(run.directory, { id: run.id, proc: this.#proc });
    if (state.kind === 'running') return;
    this.#runs.delete(run.id);
    run.onEnd(state);
  }

  #pause(): number {
    const byAge = (performance.now() - this.#youngestAt) * SHARE_OF_AGE;
    return Math.max(MIN_POLL_MS, Math.min(MAX_POLL_MS, byAge));
  }
}

/** With more new bytes than this, all runs are checked instead. */
const MAX_TAIL_BYTES = 256 * 1024;

/** Reads the ids of ended runs from the rows that supervisors append to the index as their last step. */
export class IndexTail {
  readonly #file: string;
  #size: number;

  constructor(file: string) {
    this.#file = file;
    this.#size = this.#stat();
  }

  /** The ids added since the last call; `null` when they are unknown and every run has to be checked. */
  readNewIds(): readonly string[] | null {
    const size = this.#stat();
    const from = this.#size;
    if (size === from) return [];
    this.#size = size;
    // The index was rewritten, or has too many new rows.
    if (size < from || size - from > MAX_TAIL_BYTES) return null;
    const text = this.#read(from, size);
    return text === null ? null : [...text.matchAll(/^\["(\w+)"/gm)].map(([, id = '']) => id);
  }

  #stat(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }

  #read(from: number, to: number): string | null {
    let fd: number | undefined;
    try {
      fd = openSync(this.#file, 'r');
      const bytes = Buffer.alloc(to - from);
      return bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, from));
    } catch {
      return null;
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }
}
