import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProcReader } from '../../run/tree/proc.ts';

/**
 * Who may change a session's state: one call at a time, whatever program it belongs to. The lock of a program that is
 * gone counts for nothing.
 */
export class StateLock {
  readonly #directory: string;
  readonly #mark: string;
  #held = false;

  constructor(directory: string, mark: string) {
    this.#directory = directory;
    this.#mark = mark;
  }

  /** Whether it is ours now. */
  take(): boolean {
    const own = join(this.#directory, `${this.#mark}.lock`);
    // Written first and linked then: nobody finds a lock that does not say whose it is.
    writeFileSync(own, ownerLine(), { mode: 0o600 });
    this.#held = this.#link(own) || (this.#removeStale() && this.#link(own));
    rmSync(own, { force: true });
    return this.#held;
  }

  get isHeld(): boolean {
    return this.#held;
  }

  release(): void {
    if (this.#held) rmSync(this.#path, { force: true });
    this.#held = false;
  }

  get #path(): string {
    return join(this.#directory, 'lock');
  }

  #link(own: string): boolean {
    try {
      linkSync(own, this.#path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  /** Only one of several that see it can move it away. */
  #removeStale(): boolean {
    const aside = join(this.#directory, `${this.#mark}.stale`);
    try {
      if (isAlive(readFileSync(this.#path, 'latin1'))) return false;
      renameSync(this.#path, aside);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT';
    }
    rmSync(aside, { force: true });
    return true;
  }
}

function ownerLine(): string {
  return `${process.pid} ${new ProcReader().stat(process.pid)?.startTime ?? 0}`;
}

function isAlive(owner: string): boolean {
  const [pid = 0, startTime = 0] = owner.split(' ').map(Number);
  const stat = new ProcReader().stat(pid);
  if (stat !== null) return stat.startTime === startTime && stat.state !== 'Z';
  // Where there is no /proc nobody can be looked up: a number in use must do.
  return startTime === 0 && answers(pid);
}

function answers(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
