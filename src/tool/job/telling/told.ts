import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBootId } from '../../../engine/run/record/boot.ts';
import { isGone, ProcReader } from '../../../engine/run/tree/proc.ts';

const TOLD = 'told';
const TELLER = 'teller';

/** Whether somebody has acknowledged the end of the run in this directory. */
export function isTold(directory: string): boolean {
  return existsSync(join(directory, TOLD));
}

/** Nobody is told of it again. */
export function markTold(directory: string): void {
  try {
    writeFileSync(join(directory, TOLD), '', { mode: 0o600 });
  } catch {
    // The run was swept away, or the disk is full: then it may be told once more.
  }
}

/**
 * Who tells the end of a run: one instance at a time, and another one only when that is gone.
 *
 * The file names the instance and the process it lives in, so that a later one can see whether it still does.
 */
export class Lease {
  readonly #proc = new ProcReader();
  readonly #bootId: string = readBootId();
  readonly #own: string;

  constructor(instance: string) {
    const startTime = this.#proc.stat(process.pid)?.startTime ?? 0;
    this.#own = [instance, process.pid, startTime, this.#bootId].join(' ');
  }

  /** Whether it is ours to tell. */
  take(directory: string): boolean {
    const file = join(directory, TELLER);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const holder = claim(file, this.#own);
      if (holder === this.#own) return true;
      if (this.#isAlive(holder)) return false;
      moveAway(file, holder);
    }
    return false;
  }

  give(directory: string): void {
    const file = join(directory, TELLER);
    if (read(file) === this.#own) rmSync(file, { force: true });
  }

  #isAlive(holder: string): boolean {
    const [, pid = '', startTime = '', bootId = ''] = holder.split(' ');
    if (bootId !== this.#bootId) return false;
    const stat = this.#proc.stat(Number(pid));
    return !isGone(stat) && stat?.startTime === Number(startTime);
  }
}

/** Gives back who holds it now. */
function claim(file: string, own: string): string {
  try {
    writeFileSync(file, own, { flag: 'wx', mode: 0o600 });
    return own;
  } catch (error) {
    // On a disk that takes nothing it is better told by two than by nobody.
    return (error as NodeJS.ErrnoException).code === 'EEXIST' ? read(file) : own;
  }
}

/** Of several who find the same holder gone one succeeds; who is late finds another one's, and puts it back. */
function moveAway(file: string, holder: string): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (read(aside) === holder) rmSync(aside, { force: true });
    else renameSync(aside, file);
  } catch {
    // Somebody else did.
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
