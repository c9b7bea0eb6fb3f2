import { NacreError } from '../../../errors.ts';

/** How much work one command may cause before it is refused. */
export interface Limits {
  /** Characters of the command. */
  readonly maxLength: number;
  /** Scripts inside scripts, wrappers around wrappers. */
  readonly maxDepth: number;
  /** Commands, words and values looked at. */
  readonly maxSteps: number;
}

export const LIMITS: Limits = { maxLength: 262_144, maxDepth: 32, maxSteps: 100_000 };

/** Counts the work. Whoever exceeds it is refused: a check that stops early must not let pass. */
export class Budget {
  readonly #limits: Limits;
  #steps = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  spend(steps = 1): void {
    this.#steps += steps;
    if (this.#steps > this.#limits.maxSteps) this.exceed(`more than ${this.#limits.maxSteps} steps`);
  }

  checkDepth(depth: number): void {
    if (depth > this.#limits.maxDepth) this.exceed(`more than ${this.#limits.maxDepth} levels`);
  }

  exceed(limit: string): never {
    throw new NacreError('policy_limit', { limit });
  }

  get steps(): number {
    return this.#steps;
  }
}
