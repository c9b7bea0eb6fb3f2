import { readBootId } from '../record/boot.ts';
import { type EndedState, judge } from '../record/judge.ts';
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

/** A young run is looked at more often: it may be over in a moment. */
const SHORTEST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 250;
const SHARE_OF_AGE = 0.05;

/** A look at one run costs about a microsecond; so many runs take at least so many milliseconds between looks. */
const PAUSE_PER_RUN_MS = 1;

/** A number can be somebody else's by now: now and then the record is read whoever seems to live. */
const LOOKS_UNTIL_DOUBT = 40;

/**
 * Learns the ends of any number of runs from what is on disk, with nothing open for any of them.
 *
 * As long as the command's process is there, nothing else is looked at.
 */
export class EndPoller {
  readonly #runs = new Map<string, Followed>();
  readonly #proc = new ProcReader();
  readonly #bootId: string = readBootId();
  #youngestAt = 0;
  #looks = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Calls back once, when the run is over. It keeps no program alive. */
  follow({ id, directory, pid }: DistantRun, onEnd: (state: EndedState) => void): void {
    this.#runs.set(id, { id, directory, pid, onEnd });
    this.#youngestAt = performance.now();
    this.hurry();
  }

  /** Something may have happened: the next look comes soon. */
  hurry(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), SHORTEST_PAUSE_MS).unref();
  }

  #look(): void {
    this.#looks += 1;
    const isDoubtful = this.#looks % LOOKS_UNTIL_DOUBT === 0;
    for (const run of this.#runs.values()) {
      if (!isDoubtful && isThere(run.pid)) continue;
      const state = judge(run.directory, { id: run.id, bootId: this.#bootId, proc: this.#proc });
      if (state.kind === 'running') continue;
      this.#runs.delete(run.id);
      run.onEnd(state);
    }
    if (this.#runs.size > 0) this.#timer = setTimeout(() => this.#look(), this.#pause()).unref();
  }

  #pause(): number {
    const byAge = (performance.now() - this.#youngestAt) * SHARE_OF_AGE;
    const bounded = Math.max(SHORTEST_PAUSE_MS, Math.min(LONGEST_PAUSE_MS, byAge));
    return Math.max(bounded, this.#runs.size * PAUSE_PER_RUN_MS);
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
