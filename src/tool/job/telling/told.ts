import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Claimant } from '../../../engine/run/record/claim.ts';

const TOLD = 'told';
const TELLER = 'teller';
/** Whoever the record names does not tell it any more. */
const LEFT = 'left';

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
 * it still does. A claim in the run's directory is of whoever has taken its place.
 */
export class Lease {
  readonly #claimant: Claimant;

  constructor(instance: string) {
    this.#claimant = new Claimant(instance);
  }

  /** Goes into the record of each run that this instance starts. */
  get mark(): string {
    return this.#claimant.mark;
  }

  /** Whether it is ours to tell. `first` is what the run's record says. */
  take(directory: string, first: unknown = null): boolean {
    if (typeof first === 'string' && !existsSync(join(directory, LEFT))) {
      if (first === this.mark) return true;
      if (this.#claimant.isAlive(first)) return false;
    }
    return this.#claimant.take(join(directory, TELLER));
  }

  /** Leaves it to whoever comes next. */
  give(directory: string): void {
    this.#claimant.give(join(directory, TELLER));
  }

  /** The same for a run whose record names us. */
  leave(directory: string): void {
    try {
      writeFileSync(join(directory, LEFT), '', { mode: 0o600 });
    } catch {
      // The run was swept away; or the disk is full, and it is told once this program is gone.
    }
  }
}
