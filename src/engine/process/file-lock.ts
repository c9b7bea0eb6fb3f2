import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hasExited, ProcReader } from './proc-reader.ts';
import { readBootId } from './process-identity.ts';

/** More than this many who are faster, and somebody else has it. */
const MAX_LOCK_ATTEMPTS = 20;

/**
 * Takes what only one may have, among any number of programs. Whoever is gone, by pid, start time and boot, has nothing any more.
 *
 * A claim is a file with a number in its name, made whole in one step; the highest number counts. To follow somebody who
 * is gone one makes the next number, which succeeds for one alone; who finds a higher one afterwards was late, and withdraws. The
 * highest is never removed, only emptied: so no number comes back while somebody may still be looking at it.
 */
export class LockOwner {
  /** Who claims: the instance, and the process it lives in. */
  readonly token: string;
  readonly #proc = new ProcReader();
  readonly #bootId: string = readBootId();

  constructor(instance: string) {
    const startTime = this.#proc.stat(process.pid)?.startTime ?? 0;
    this.token = [instance, process.pid, startTime, this.#bootId].join(' ');
  }

  /** Whether the process of a mark still lives. */
  isAlive(mark: string): boolean {
    const [, pid = '', startTime = '', bootId = ''] = mark.split(' ');
    if (bootId !== this.#bootId) return false;
    const stat = this.#proc.stat(Number(pid));
    return !hasExited(stat) && stat?.startTime === Number(startTime);
  }

  /** Whether it is ours. On a disk that takes nothing it is everybody's. */
  tryAcquire(path: string): boolean {
    for (let attempt = 0; attempt < MAX_LOCK_ATTEMPTS; attempt += 1) {
      const [highest = 0] = lockNumbers(path);
      const holder = highest === 0 ? '' : readLockFile(`${path}.${highest}`);
      if (holder === this.token) return true;
      if (this.isAlive(holder)) return false;
      const made = this.#make(path, highest + 1);
      if (made === 'unable') return true;
      if (made === 'made' && this.#isHighest(path, highest + 1)) return true;
    }
    return false;
  }

  /** Leaves it to whoever comes next. */
  release(path: string): void {
    const [highest = 0] = lockNumbers(path);
    const file = `${path}.${highest}`;
    if (highest > 0 && readLockFile(file) === this.token) emptyLockFile(file);
  }

  #make(path: string, number: number): 'made' | 'late' | 'unable' {
    const draft = `${path}-${process.pid}-${Math.random().toString(36).slice(2)}`;
    try {
      writeFileSync(draft, this.token, { mode: 0o600 });
      linkSync(draft, `${path}.${number}`);
      return 'made';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EEXIST' ? 'late' : 'unable';
    } finally {
      rmSync(draft, { force: true });
    }
  }

  #isHighest(path: string, own: number): boolean {
    const numbers = lockNumbers(path);
    if (numbers[0] !== own) {
      rmSync(`${path}.${own}`, { force: true });
      return false;
    }
    for (const number of numbers.slice(1)) rmSync(`${path}.${number}`, { force: true });
    return true;
  }
}

/** Highest first. */
function lockNumbers(path: string): number[] {
  const prefix = `${basename(path)}.`;
  try {
    return readdirSync(dirname(path))
      .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
      .map((name) => Number(name.slice(prefix.length)))
      .sort((a, b) => b - a);
  } catch {
    return [];
  }
}

function readLockFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function emptyLockFile(file: string): void {
  try {
    writeFileSync(file, '');
  } catch {
    // Swept away: then nobody has it.
  }
}

/**
 * Who may change a session's state: one call at a time, whatever program it belongs to. The lock of a program that is
 * gone counts for nothing.
 */
export class DirectoryLock {
  readonly #directory: string;
  readonly #mark: string;
  #held = false;

  constructor(directory: string, mark: string) {
    this.#directory = directory;
    this.#mark = mark;
  }

  /** Whether it is ours now. */
  tryAcquire(): boolean {
    const own = join(this.#directory, `${this.#mark}.lock`);
    // Written first and linked then: nobody finds a lock that does not say whose it is.
    writeFileSync(own, renderLockOwner(), { mode: 0o600 });
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
      if (isLockOwnerAlive(readFileSync(this.#path, 'latin1'))) return false;
      renameSync(this.#path, aside);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT';
    }
    rmSync(aside, { force: true });
    return true;
  }
}

function renderLockOwner(): string {
  return `${process.pid} ${new ProcReader().stat(process.pid)?.startTime ?? 0}`;
}

function isLockOwnerAlive(owner: string): boolean {
  const [pid = 0, startTime = 0] = owner.split(' ').map(Number);
  const stat = new ProcReader().stat(pid);
  if (stat !== null) return stat.startTime === startTime && stat.state !== 'Z';
  // Where there is no /proc nobody can be looked up: a number in use must do.
  return startTime === 0 && lockOwnerAnswers(pid);
}

function lockOwnerAnswers(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
