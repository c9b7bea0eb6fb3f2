import { readBootId } from '../record/boot.ts';
import { type EndedState, judge } from '../record/judge.ts';
import { NewRows } from '../record/new-rows.ts';
import { ProcReader } from '../tree/proc.ts';

/** A run that nobody is connected to. */
export interface DistantRun {
  readonly id: string;
  readonly directory: string;
  /** The command's own process. */
  readonly pid: number;
}

interface Followed extends DistantRun {
  readonly onEnd: (state: EndedState) => void;
}

/** A young run is looked for more often: it may be over in a moment. */
const SHORTEST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 250;
const SHARE_OF_AGE = 0.05;

/** A look at everybody costs some microseconds for each, so it comes the less often the more there are. */
const PAUSE_PER_RUN_MS = 5;

/** A number can be somebody else's by now: now and then the record is read whoever seems to live. */
const LOOKS_UNTIL_DOUBT = 20;

/**
 * Learns the ends of any number of runs from what is on disk, with nothing open for any of them.
 *
 * Who ends adds a row to the index, so mostly one look at that file is enough. Who was killed with its supervisor, or left
 * somebody behind, has no row yet: their processes are looked for, less often.
 */
export class EndPoller {
  readonly #runs = new Map<string, Followed>();
  readonly #proc = new ProcReader();
  readonly #bootId: string = readBootId();
  readonly #indexFile: string;
  #rows: NewRows | undefined;
  #youngestAt = 0;
  #lookedAt = 0;
  #looks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(indexFile: string) {
    this.#indexFile = indexFile;
  }

  /** Calls back once, when the run is over. It keeps no program alive. */
  follow({ id, directory, pid }: DistantRun, onEnd: (state: EndedState) => void): void {
    this.#runs.set(id, { id, directory, pid, onEnd });
    this.#rows ??= new NewRows(this.#indexFile);
    this.#youngestAt = performance.now();
    this.#arm(SHORTEST_PAUSE_MS);
  }

  /** Something may have happened: the next look is at everybody, and comes soon. */
  hurry(): void {
    this.#lookedAt = 0;
    this.#arm(SHORTEST_PAUSE_MS);
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = this.#runs.size === 0 ? undefined : setTimeout(() => this.#look(), ms).unref();
  }

  #look(): void {
    const ids = this.#rows?.look() ?? null;
    const isTime = performance.now() - this.#lookedAt >= this.#runs.size * PAUSE_PER_RUN_MS;
    if (ids === null || isTime) this.#lookAtAll();
    else for (const id of ids) this.#judge(this.#runs.get(id));
    this.#arm(this.#pause());
  }

  #lookAtAll(): void {
    this.#lookedAt = performance.now();
    this.#looks += 1;
    const isDoubtful = this.#looks % LOOKS_UNTIL_DOUBT === 0;
    for (const run of this.#runs.values()) if (isDoubtful || !isThere(run.pid)) this.#judge(run);
  }

  #judge(run: Followed | undefined): void {
    if (run === undefined) return;
    const state = judge(run.directory, { id: run.id, bootId: this.#bootId, proc: this.#proc });
    if (state.kind === 'running') return;
    this.#runs.delete(run.id);
    run.onEnd(state);
  }

  #pause(): number {
    const byAge = (performance.now() - this.#youngestAt) * SHARE_OF_AGE;
    return Math.max(SHORTEST_PAUSE_MS, Math.min(LONGEST_PAUSE_MS, byAge));
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
