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
 * The record of a run names the instance that started it, and the process that lives in, so that a later one can see whether
 * it still does. A file names whoever has taken its place.
 */
export class Lease {
  readonly #proc = new ProcReader();
  readonly #bootId: string = readBootId();
  readonly #own: string;

  /** Goes into the record of each run that this instance starts. */
  get mark(): string {
    return this.#own;
  }

  constructor(instance: string) {
    const startTime = this.#proc.stat(process.pid)?.startTime ?? 0;
    this.#own = [instance, process.pid, startTime, this.#bootId].join(' ');
  }

  /** Whether it is ours to tell. `first` is what the run's record says. */
  take(directory: string, first: unknown = null): boolean {
    const file = join(directory, TELLER);
    if (typeof first === 'string' && !existsSync(file)) {
      if (first === this.#own) return true;
      if (this.#isAlive(first)) return false;
    }
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const holder = claim(file, this.#own);
      if (holder === this.#own) return true;
      if (this.#isAlive(holder)) return false;
      moveAway(file, holder);
    }
    return false;
  }

  /** Leaves it to whoever comes next. */
  give(directory: string): void {
    const file = join(directory, TELLER);
    if (existsSync(file) && read(file) !== this.#own) return;
    try {
      // A file that names nobody: the record still names us.
      writeFileSync(file, '', { mode: 0o600 });
    } catch {
      // The run was swept away; or the disk is full, and it is told once we are gone.
    }
  }

  /** It was told. */
  forget(directory: string): void {
    rmSync(join(directory, TELLER), { force: true });
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
