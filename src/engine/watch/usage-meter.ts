import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { type ProcessDetails, readProcessDetails } from '../process/proc-reader.ts';

/** What a set of processes uses. */
export interface ResourceUsage {
  /** Processors kept busy since the last look: 1 is one of them, all the time. `null` at the first look. */
  readonly cpu: number | null;
  /** Computed by those who live and by the children they have waited for. */
  readonly cpuSeconds: number;
  /** In memory now. What processes share is counted for each. */
  readonly residentBytes: number;
  /** How many of them are alive. */
  readonly processes: number;
}

export interface UsageMeterOptions {
  readonly units?: KernelUnits;
  /** Where `/proc` is. @default '/proc' */
  readonly root?: string;
  /** In milliseconds. @default performance.now */
  readonly now?: () => number;
}

/** Measures one run, or any other set of processes, from look to look: one small file for each of them. */
export class UsageMeter {
  readonly #units: KernelUnits;
  readonly #root: string;
  readonly #now: () => number;
  #last: { readonly at: number; readonly ticks: number } | undefined;

  constructor(options: UsageMeterOptions = {}) {
    this.#units = options.units ?? readKernelUnits();
    this.#root = options.root ?? '/proc';
    this.#now = options.now ?? (() => performance.now());
  }

  measure(pids: readonly number[]): ResourceUsage {
    const alive = pids.flatMap((pid) => readProcessDetails(`${this.#root}/${pid}`) ?? []);
    const ticks = sumOf(alive, (facts) => facts.cpuTicks);
    return {
      cpu: this.#share(ticks),
      cpuSeconds: ticks / this.#units.ticksPerSecond,
      residentBytes: sumOf(alive, (facts) => facts.residentPages) * this.#units.pageBytes,
      processes: alive.length,
    };
  }

  #share(ticks: number): number | null {
    const last = this.#last;
    const at = this.#now();
    this.#last = { at, ticks };
    if (last === undefined || at <= last.at) return null;
    // Who has gone took its ticks along, unless its parent is among us and has waited for it.
    const spent = Math.max(0, ticks - last.ticks);
    return spent / this.#units.ticksPerSecond / ((at - last.at) / 1000);
  }
}

function sumOf(all: readonly ProcessDetails[], of: (facts: ProcessDetails) => number): number {
  return all.reduce((total, facts) => total + of(facts), 0);
}

/** What the numbers of `/proc` are counted in. */
export interface KernelUnits {
  readonly pageBytes: number;
  readonly ticksPerSecond: number;
}

/** What every program is told by the kernel as it starts: pairs of a kind and a value, of eight bytes each. */
const PAGE_SIZE = 6n;
const CLOCK_TICKS = 17n;
const DEFAULT_UNITS: KernelUnits = { pageBytes: 4096, ticksPerSecond: 100 };

export function readKernelUnits(path = '/proc/self/auxv'): KernelUnits {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return DEFAULT_UNITS;
  }
  const read = (at: number): bigint =>
    endianness() === 'LE' ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at);
  const found = new Map<bigint, number>();
  for (let at = 0; at + 16 <= bytes.length; at += 16) found.set(read(at), Number(read(at + 8)));
  return {
    pageBytes: found.get(PAGE_SIZE) ?? DEFAULT_UNITS.pageBytes,
    ticksPerSecond: found.get(CLOCK_TICKS) ?? DEFAULT_UNITS.ticksPerSecond,
  };
}
