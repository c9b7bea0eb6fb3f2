import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { ProcReader } from './proc-reader.ts';
import { currentProcessIdentity, isProcessAlive } from './process-identity.ts';
import { createFileAtomically } from './state-files.ts';

/** After this many lost races another program has the lock. */
const MAX_LOCK_ATTEMPTS = 20;

/** `unusable`: the directory of the lock cannot be read or written, so that no program can hold the lock. */
export type LockResult = 'acquired' | 'held' | 'unusable';

/**
 * Takes locks that only one owner may hold, among any number of programs; the lock of a dead process counts for nothing.
 *
 * A lock `path` is a file `path.N` that is created in one step and contains the token of its owner. The highest number
 * counts. A stale lock is taken over by creating the next number, which succeeds for one program only; a program that finds a
 * higher number afterwards was late and withdraws. The file with the highest number is emptied on release and never removed,
 * so that no number is used twice while another program may still compare it.
 */
export class LockOwner {
  /** Identifies this owner: the instance, then pid, start time and boot id of its process. */
  readonly token: string;
  readonly #proc = new ProcReader();

  constructor(instance: string) {
    const { pid, startTime, bootId } = currentProcessIdentity();
    this.token = [instance, pid, startTime ?? 0, bootId].join(' ');
  }

  /** Whether the process of a token is still alive. */
  isAlive(token: string): boolean {
    const [, pid, startTime, bootId = ''] = token.split(' ');
    return isProcessAlive({ pid: Number(pid), startTime: Number(startTime), bootId }, this.#proc);
  }

  /** Tries to take a lock without waiting; a lock that this owner holds already is `acquired`. */
  tryAcquire(path: string): LockResult {
    try {
      for (let attempt = 0; attempt < MAX_LOCK_ATTEMPTS; attempt += 1) {
        const [highest = 0] = lockNumbers(path);
        const holder = highest === 0 ? '' : readLockFile(`${path}.${highest}`);
        if (holder === this.token) return 'acquired';
        if (this.isAlive(holder)) return 'held';
        const own = highest + 1;
        if (createFileAtomically(`${path}.${own}`, this.token) && isHighest(path, own)) return 'acquired';
      }
      return 'held';
    } catch {
      return 'unusable';
    }
  }

  /** Releases a lock; does nothing when this owner does not hold it. */
  release(path: string): void {
    try {
      const [highest = 0] = lockNumbers(path);
      const file = `${path}.${highest}`;
      if (highest > 0 && readLockFile(file) === this.token) writeFileSync(file, '');
    } catch {
      // The directory is gone or cannot be read: the lock ends with this process.
    }
  }
}

/** Removes lower numbers, or the own file when a higher number exists. */
function isHighest(path: string, own: number): boolean {
  const numbers = lockNumbers(path);
  const wins = numbers[0] === own;
  for (const number of wins ? numbers.slice(1) : [own]) rmSync(`${path}.${number}`, { force: true });
  return wins;
}

/** The numbers of the files of a lock, highest first. */
function lockNumbers(path: string): number[] {
  const prefix = `${basename(path)}.`;
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
    .sort((a, b) => b - a);
}

function readLockFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // ENOENT: a faster program replaced the file, and creating the next number fails.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
