import { type ProcessFacts, readProcessFacts } from '../process-facts.ts';
import { type MachineUnits, readMachineUnits } from './machine-units.ts';

/** What a set of processes uses. */
export interface Usage {
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
  readonly units?: MachineUnits;
  /** Where `/proc` is. @default '/proc' */
  readonly root?: string;
  /** In milliseconds. @default performance.now */
  readonly now?: () => number;
}

/** Measures one run, or any other set of processes, from look to look: one small file for each of them. */
export class UsageMeter {
  readonly #units: MachineUnits;
  readonly #root: string;
  readonly #now: () => number;
  #last: { readonly at: number; readonly ticks: number } | undefined;

  constructor(options: UsageMeterOptions = {}) {
    this.#units = options.units ?? readMachineUnits();
    this.#root = options.root ?? '/proc';
    this.#now = options.now ?? (() => performance.now());
  }

  look(pids: readonly number[]): Usage {
    const alive = pids.flatMap((pid) => readProcessFacts(`${this.#root}/${pid}`) ?? []);
    const ticks = sum(alive, (facts) => facts.cpuTicks);
    return {
      cpu: this.#share(ticks),
      cpuSeconds: ticks / this.#units.ticksPerSecond,
      residentBytes: sum(alive, (facts) => facts.residentPages) * this.#units.pageBytes,
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

function sum(all: readonly ProcessFacts[], of: (facts: ProcessFacts) => number): number {
  return all.reduce((total, facts) => total + of(facts), 0);
}
