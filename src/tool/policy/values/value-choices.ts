import type { Field } from './field.ts';
import { concatFields, toField, toMix } from './field.ts';

/** One combination after the other; or all values at once, as a mix of words or in a row. */
export type ChoiceMode = 'apart' | 'mixed' | 'joined';

/**
 * Walks through every combination of the values that a command's variables may have.
 *
 * Evaluation asks whenever several values are possible; the same key gets the
 * same answer within one pass, so that two uses of a variable agree.
 */
export class ValueChoices {
  readonly #mode: ChoiceMode;
  readonly #picks = new Map<string, { index: number; readonly count: number }>();

  constructor(mode: ChoiceMode = 'apart') {
    this.#mode = mode;
  }

  /** Whether all values are taken at once, because the combinations are too many. */
  get combinesAll(): boolean {
    return this.#mode !== 'apart';
  }

  /** One of several values, or all of them. */
  field(key: string, options: readonly Field[]): Field {
    if (options.length < 2 || !this.combinesAll) return options[this.pick(key, options.length)] ?? [];
    return this.all(options);
  }

  /** All values as one: as words in no order, or one after the other. */
  all(options: readonly Field[]): Field {
    if (this.#mode === 'mixed') return toMix(options);
    return concatFields(
      ...options.flatMap((option, index) => (index === 0 ? [option] : [toField(' '), option])),
    );
  }

  /** Whether only one thing varies, so that there are no combinations. */
  get single(): boolean {
    return this.#picks.size < 2;
  }

  pick(key: string, count: number): number {
    if (count < 2) return 0;
    const known = this.#picks.get(key);
    if (known !== undefined) return Math.min(known.index, count - 1);
    this.#picks.set(key, { index: 0, count });
    return 0;
  }

  /** Moves on to the next combination; `false` when all have been seen. */
  advance(): boolean {
    for (const [key, pick] of [...this.#picks].reverse()) {
      if (pick.index + 1 < pick.count) {
        pick.index += 1;
        return true;
      }
      // What was asked after this one may not be asked again with another value before it.
      this.#picks.delete(key);
    }
    return false;
  }
}
