import type { ProcReader } from './proc.ts';

/** A moment, told by the numbers that processes are given. */
export interface PidMark {
  /** `performance.now()`. */
  readonly at: number;
  /** The number that was given out last. */
  readonly lastPid: number;
  /** How many were ever given out; fewer, where that was asked a little earlier. 0: nobody knows. */
  readonly forks: number;
}

/** Who knows how the machine gives out numbers. */
export type PidNumbers = Pick<ProcReader, 'load' | 'forks' | 'maxPid'>;

/** Machines make fewer processes than this per second: sooner, the numbers cannot have come round. */
const MAX_FORKS_PER_SECOND = 200_000;

/** The count of all processes is worth more than a small file to the kernel, so it is asked this often at most. */
const COUNT_EVERY_MS = 250;

/** Tells which processes are younger than a moment: those with higher numbers, until the numbers come round. */
export class PidClock {
  readonly #proc: PidNumbers;
  #counted = { at: Number.NEGATIVE_INFINITY, forks: 0 };

  constructor(proc: PidNumbers) {
    this.#proc = proc;
  }

  now(): PidMark {
    const at = performance.now();
    if (at - this.#counted.at > COUNT_EVERY_MS) this.#counted = { at, forks: this.#proc.forks() };
    return { at, lastPid: this.#proc.load().lastPid, forks: this.#counted.forks };
  }
}

/** Whether the numbers may have come round since: then the number of a process says nothing about its age. */
export function mayHaveWrapped({ at, lastPid, forks }: PidMark, proc: PidNumbers): boolean {
  // Short of the last number there is room for so many.
  const room = proc.maxPid() - lastPid;
  if (!(lastPid > 0)) return true;
  if (((performance.now() - at) / 1000) * MAX_FORKS_PER_SECOND < room) return false;
  const now = proc.forks();
  if (forks === 0 || now < forks) return true;
  // Numbers that are in use are passed over, threads' too.
  return now - forks + proc.load().threads >= room;
}
