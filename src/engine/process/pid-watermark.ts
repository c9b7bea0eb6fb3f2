import { closeSync, openSync, readSync } from 'node:fs';
import type { ProcReader } from './proc-reader.ts';

/** A point in time, expressed by the pids that the kernel has assigned. */
export interface PidSample {
  /** `performance.now()`. */
  readonly at: number;
  /** The pid that was assigned last. */
  readonly lastPid: number;
  /**
   * Number of processes and threads started since boot, at this sample or shortly before; 0 where it is
   * unknown.
   */
  readonly forks: number;
}

/** The counters of the kernel that a {@link PidWatermark} compares. */
export type PidCounters = Pick<ProcReader, 'load' | 'forks' | 'maxPid'>;

/**
 * No machine starts more processes per second: before that many could exist, pids cannot have wrapped around.
 */
const MAX_FORKS_PER_SECOND = 200_000;

/** Reading the fork counter is expensive in the kernel, so it is read at most this often. */
const COUNT_EVERY_MS = 250;

/**
 * Tells which processes are newer than a sample: processes with higher pids, until pids wrap around.
 *
 * Each call samples twice on its critical path, so the file stays open and is read with one system call.
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
    // An older count is lower, which is on the safe side; the next count is read when the event loop is idle.
    else if (at - this.#counted.at > COUNT_EVERY_MS) setImmediate(() => this.#count());
    return { at, lastPid: this.lastPid(), forks: this.#counted.forks };
  }

  /** The pid that was assigned last; `NaN` where it is unknown. */
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

function isTooSoon({ at, lastPid }: PidSample, maxPid: number): boolean {
  return ((performance.now() - at) / 1000) * MAX_FORKS_PER_SECOND < maxPid - lastPid;
}

/**
 * Whether pids may have wrapped around since a sample; if so, a pid says nothing about the age of a process.
 */
export function pidsMayHaveWrapped(mark: PidSample, proc: PidCounters, max: number = proc.maxPid()): boolean {
  const { lastPid, forks } = mark;
  if (!(lastPid > 0)) return true;
  if (isTooSoon(mark, max)) return false;
  const room = max - lastPid;
  const now = proc.forks();
  if (forks === 0 || now < forks) return true;
  // The kernel skips ids that are in use, thread ids included.
  return now - forks + proc.load().threads >= room;
}
