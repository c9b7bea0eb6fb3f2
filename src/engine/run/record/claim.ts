import { linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isGone, ProcReader } from '../tree/proc.ts';
import { readBootId } from './boot.ts';

/** More than this many who are faster, and somebody else has it. */
const ATTEMPTS = 20;

/**
 * Takes what only one may have, among any number of programs. Whoever is gone, by pid, start time and boot, has nothing any more.
 *
 * A claim is a file with a number in its name, made whole in one step; the highest number counts. To follow somebody who
 * is gone one makes the next number, which succeeds for one alone; who finds a higher one afterwards was late, and withdraws. The
 * highest is never removed, only emptied: so no number comes back while somebody may still be looking at it.
 */
export class Claimant {
  /** Who claims: the instance, and the process it lives in. */
  readonly mark: string;
  readonly #proc = new ProcReader();
  readonly #bootId: string = readBootId();

  constructor(instance: string) {
    const startTime = this.#proc.stat(process.pid)?.startTime ?? 0;
    this.mark = [instance, process.pid, startTime, this.#bootId].join(' ');
  }

  /** Whether the process of a mark still lives. */
  isAlive(mark: string): boolean {
    const [, pid = '', startTime = '', bootId = ''] = mark.split(' ');
    if (bootId !== this.#bootId) return false;
    const stat = this.#proc.stat(Number(pid));
    return !isGone(stat) && stat?.startTime === Number(startTime);
  }

  /** Whether it is ours. On a disk that takes nothing it is everybody's. */
  take(path: string): boolean {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const [highest = 0] = numbersOf(path);
      const holder = highest === 0 ? '' : read(`${path}.${highest}`);
      if (holder === this.mark) return true;
      if (this.isAlive(holder)) return false;
      const made = this.#make(path, highest + 1);
      if (made === 'unable') return true;
      if (made === 'made' && this.#isHighest(path, highest + 1)) return true;
    }
    return false;
  }

  /** Leaves it to whoever comes next. */
  give(path: string): void {
    const [highest = 0] = numbersOf(path);
    const file = `${path}.${highest}`;
    if (highest > 0 && read(file) === this.mark) empty(file);
  }

  #make(path: string, number: number): 'made' | 'late' | 'unable' {
    const draft = `${path}-${process.pid}-${Math.random().toString(36).slice(2)}`;
    try {
      writeFileSync(draft, this.mark, { mode: 0o600 });
      linkSync(draft, `${path}.${number}`);
      return 'made';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EEXIST' ? 'late' : 'unable';
    } finally {
      rmSync(draft, { force: true });
    }
  }

  #isHighest(path: string, own: number): boolean {
    const numbers = numbersOf(path);
    if (numbers[0] !== own) {
      rmSync(`${path}.${own}`, { force: true });
      return false;
    }
    for (const number of numbers.slice(1)) rmSync(`${path}.${number}`, { force: true });
    return true;
  }
}

/** Highest first. */
function numbersOf(path: string): number[] {
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

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function empty(file: string): void {
  try {
    writeFileSync(file, '');
  } catch {
    // Swept away: then nobody has it.
  }
}
