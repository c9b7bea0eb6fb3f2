import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { ProcReader } from '../process/proc-reader.ts';
import { isPidInUse } from '../process/process-identity.ts';
import { type EndedRunState, readRunState } from './run-state.ts';

/** A run that nobody is connected to. */
export interface PolledRun {
  readonly id: string;
  readonly directory: string;
  /** The command's own process. */
  readonly pid: number;
}

interface PolledRunEntry extends PolledRun {
  readonly onEnd: (state: EndedRunState) => void;
}

/** A young run is looked for more often: it may be over in a moment. */
const MIN_POLL_MS = 25;
const MAX_POLL_MS = 250;
const SHARE_OF_AGE = 0.05;

/** A look at everybody costs some microseconds for each, so it comes the less often the more there are. */
const PAUSE_PER_RUN_MS = 5;

/** A number can be somebody else's by now: now and then the record is read whoever seems to live. */
const POLLS_UNTIL_FULL_CHECK = 20;

/**
 * Learns the ends of any number of runs from what is on disk, with nothing open for any of them.
 *
 * Who ends adds a row to the index, so mostly one look at that file is enough. Who was killed with its supervisor, or left
 * somebody behind, has no row yet: their processes are looked for, less often.
 */
export class RunEndPoller {
  readonly #runs = new Map<string, PolledRunEntry>();
  readonly #proc = new ProcReader();
  readonly #indexFile: string;
  #rows: IndexTail | undefined;
  #youngestAt = 0;
  #lookedAt = 0;
  #looks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(indexFile: string) {
    this.#indexFile = indexFile;
  }

  /** Calls back once, when the run is over. It keeps no program alive. */
  follow({ id, directory, pid }: PolledRun, onEnd: (state: EndedRunState) => void): void {
    this.#runs.set(id, { id, directory, pid, onEnd });
    this.#rows ??= new IndexTail(this.#indexFile);
    this.#youngestAt = performance.now();
    this.#arm(MIN_POLL_MS);
  }

  /** Something may have happened: the next look is at everybody, and comes soon. */
  pollSoon(): void {
    this.#lookedAt = 0;
    this.#arm(MIN_POLL_MS);
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = this.#runs.size === 0 ? undefined : setTimeout(() => this.#look(), ms).unref();
  }

  #look(): void {
    const ids = this.#rows?.readNewIds() ?? null;
    const isTime = performance.now() - this.#lookedAt >= this.#runs.size * PAUSE_PER_RUN_MS;
    if (ids === null || isTime) this.#lookAtAll();
    else for (const id of ids) this.#judge(this.#runs.get(id));
    this.#arm(this.#pause());
  }

  #lookAtAll(): void {
    this.#lookedAt = performance.now();
    this.#looks += 1;
    const isDoubtful = this.#looks % POLLS_UNTIL_FULL_CHECK === 0;
    for (const run of this.#runs.values()) if (isDoubtful || !isPidInUse(run.pid)) this.#judge(run);
  }

  #judge(run: PolledRunEntry | undefined): void {
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

/** More than this between two looks, and it is simpler to look at everybody. */
const MAX_TAIL_BYTES = 256 * 1024;

/** Notices which runs ended since the last look, by the rows that their supervisors add to the index as their last act. */
export class IndexTail {
  readonly #file: string;
  #size: number;

  constructor(file: string) {
    this.#file = file;
    this.#size = this.#stat();
  }

  /** The ids of those that were added; `null` when nobody can tell: look at everybody. */
  readNewIds(): readonly string[] | null {
    const size = this.#stat();
    const from = this.#size;
    if (size === from) return [];
    this.#size = size;
    // It was written anew, or is too much to read.
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
