import { closeSync, fstatSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../engine/run/record/make-directory.ts';
import type { LogLine } from './log-line.ts';

/** The file that is written to; older ones have the time of their end in their names. */
export const CURRENT = 'current.jsonl';

/** Limits of the log on disk. */
export interface JournalLimits {
  readonly maxFileBytes: number;
  /** Older files beside the current one. */
  readonly maxFiles: number;
}

/** How long the file is held open. */
const HELD_MS = 50;

const LIMITS: JournalLimits = { maxFileBytes: 8 * 1024 * 1024, maxFiles: 8 };

/** The file while it is open. */
interface Held {
  readonly fd: number;
  readonly timer: NodeJS.Timeout;
  size: number;
}

/** Where the log of a state directory is. */
export function logDirectory(stateDirectory: string): string {
  return join(stateDirectory, 'log');
}

/**
 * The append-only log of every command.
 *
 * Each line is one write to a file opened for appending, so the lines of several programs do not mix. It is held open for
 * a moment: a call that is over by then writes two lines. What is written to a file that another program has put aside
 * meanwhile is in the log all the same.
 */
export class Journal {
  readonly #directory: string;
  readonly #limits: JournalLimits;
  #held: Held | null = null;

  constructor(stateDirectory: string, limits: JournalLimits = LIMITS) {
    this.#directory = logDirectory(stateDirectory);
    this.#limits = limits;
  }

  /** Gives back what went wrong, if anything did: a log that cannot be written stops no command. */
  write(line: LogLine): string | null {
    try {
      this.#held ??= this.#hold();
      this.#held.size += writeSync(this.#held.fd, `${JSON.stringify(line)}\n`);
      if (this.#held.size > this.#limits.maxFileBytes) this.#putAside(line.time);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #hold(): Held {
    const fd = this.#open();
    const timer = setTimeout(() => this.#letGo(), HELD_MS).unref();
    return { fd, timer, size: fstatSync(fd).size };
  }

  #letGo(): void {
    if (this.#held === null) return;
    const { fd, timer } = this.#held;
    this.#held = null;
    clearTimeout(timer);
    closeSync(fd);
  }

  #open(): number {
    const path = join(this.#directory, CURRENT);
    try {
      return openSync(path, 'a', 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      makeDirectory(this.#directory);
      return openSync(path, 'a', 0o600);
    }
  }

  #putAside(time: string): void {
    this.#letGo();
    // Two programs may come here at once: with a name of its own neither overwrites the other's.
    const name = `${time.replaceAll(/[:.]/g, '-')}-${process.pid}.jsonl`;
    renameSync(join(this.#directory, CURRENT), join(this.#directory, name));
    for (const old of olderFiles(this.#directory).slice(this.#limits.maxFiles)) {
      rmSync(join(this.#directory, old), { force: true });
    }
  }
}

/** Files that were put aside, newest first. */
export function olderFiles(directory: string): readonly string[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.jsonl') && name !== CURRENT);
  return names.sort().reverse();
}
