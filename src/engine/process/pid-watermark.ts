import { closeSync, openSync, readSync } from 'node:fs';
import type { ProcReader } from './proc-reader.ts';

/** A moment, told by the numbers that processes are given. */
export interface PidSample {
  /** `performance.now()`. */
  readonly at: number;
  /** The number that was given out last. */
  readonly lastPid: number;
  /** How many were ever given out; fewer, where that was asked a little earlier. 0: nobody knows. */
  readonly forks: number;
}

/** Who knows how the machine gives out numbers. */
export type PidCounters = Pick<ProcReader, 'load' | 'forks' | 'maxPid'>;

/** Machines make fewer processes than this per second: sooner, the numbers cannot have come round. */
const MAX_FORKS_PER_SECOND = 200_000;

/** The count of all processes is worth more than a small file to the kernel, so it is asked this often at most. */
const COUNT_EVERY_MS = 250;

/**
 * Tells which processes are younger than a moment: those with higher numbers, until the numbers come round.
 *
 * Every call asks it twice while somebody waits, so the file is held open, and read in one step.
 */
export class PidWatermark {
  readonly #proc: PidCounters;
  readonly #buffer = Buffer.alloc(128);
  #counted = { at: Number.NEGATIVE_INFINITY, forks: 0 };
  #fd: number | null = null;
  #max: number | undefined;
  #isClosed = false;

  constructor(proc: PidCounters) {
    this.#proc = proc;
  }

  sample(): PidSample {
    const at = performance.now();
    if (this.#counted.forks === 0) this.#count();
    // An older count is a smaller one, and good enough until there is a moment for the next.
    else if (at - this.#counted.at > COUNT_EVERY_MS) setImmediate(() => this.#count());
    return { at, lastPid: this.lastPid(), forks: this.#counted.forks };
  }

  /** The number given out last; not a number where nobody knows. */
  lastPid(): number {
    if (this.#isClosed) return Number.NaN;
    try {
      this.#fd ??= openSync('/proc/loadavg', 'r');
      const count = readSync(this.#fd, this.#buffer, 0, this.#buffer.length, 0);
      const text = this.#buffer.toString('latin1', 0, count);
      return Number(text.slice(text.lastIndexOf(' ')));
    } catch {
      return Number.NaN;
    }
  }

  mayHaveWrapped(mark: PidSample): boolean {
    this.#max ??= this.#proc.maxPid();
    return pidsMayHaveWrapped(mark, this.#proc, this.#max);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  #count(): void {
    this.#counted = { at: performance.now(), forks: this.#proc.forks() };
  }
}

/** No machine makes so many processes so soon. */
function isTooSoon({ at, lastPid }: PidSample, maxPid: number): boolean {
  return ((performance.now() - at) / 1000) * MAX_FORKS_PER_SECOND < maxPid - lastPid;
}

/** Whether the numbers may have come round since: then the number of a process says nothing about its age. */
export function pidsMayHaveWrapped(mark: PidSample, proc: PidCounters, max: number = proc.maxPid()): boolean {
  const { lastPid, forks } = mark;
  if (!(lastPid > 0)) return true;
  if (isTooSoon(mark, max)) return false;
  // Short of the last number there is room for so many.
  const room = max - lastPid;
  const now = proc.forks();
  if (forks === 0 || now < forks) return true;
  // Numbers that are in use are passed over, threads' too.
  return now - forks + proc.load().threads >= room;
}
