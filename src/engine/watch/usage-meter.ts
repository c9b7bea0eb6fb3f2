import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { type ProcessDetails, readProcessDetails } from '../process/proc-reader.ts';

/** Processor time and memory that a set of processes uses. */
interface ResourceUsage {
  /** Average number of busy processors since the last measurement; `null` for the first one. */
  readonly cpu: number | null;
  /** Processor time of the processes that are alive and of the children they have waited for. */
  readonly cpuSeconds: number;
  /** Resident memory. Shared pages count once per process. */
  readonly residentBytes: number;
  /** How many of the processes are alive. */
  readonly processes: number;
}

interface UsageMeterOptions {
  readonly units?: KernelUnits;
  /** The `/proc` directory. @default '/proc' */
  readonly root?: string;
  /** A clock in milliseconds. @default performance.now */
  readonly now?: () => number;
}

/** Measures a set of processes repeatedly; each measurement reads one small file per process. */
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
      cpu: this.#busyProcessors(ticks),
      cpuSeconds: ticks / this.#units.ticksPerSecond,
      residentBytes: sumOf(alive, (facts) => facts.residentPages) * this.#units.pageBytes,
      processes: alive.length,
    };
  }

  #busyProcessors(ticks: number): number | null {
    const last = this.#last;
    const at = this.#now();
    this.#last = { at, ticks };
    if (last === undefined || at <= last.at) return null;
    // The time of a dead process is missing, unless its parent is in the set and has waited for it.
    const spent = Math.max(0, ticks - last.ticks);
    return spent / this.#units.ticksPerSecond / ((at - last.at) / 1000);
  }
}

function sumOf(all: readonly ProcessDetails[], of: (facts: ProcessDetails) => number): number {
  return all.reduce((total, facts) => total + of(facts), 0);
}

/** The units of the numbers in `/proc`. */
interface KernelUnits {
  readonly pageBytes: number;
  readonly ticksPerSecond: number;
}

/** Keys of the auxiliary vector (`man 3 getauxval`): pairs of a key and a value of 8 bytes each. */
const PAGE_SIZE = 6n;
const CLOCK_TICKS = 17n;
const DEFAULT_UNITS: KernelUnits = { pageBytes: 4096, ticksPerSecond: 100 };

/** Reads the page size and clock ticks from the auxiliary vector of this process. */
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
