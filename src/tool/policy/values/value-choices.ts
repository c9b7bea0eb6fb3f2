import { type Field, joinFields, toMix } from './field.ts';

/** How alternatives are evaluated: each combination, all as one mix, or all in sequence. */
type ChoiceMode = 'apart' | 'mixed' | 'joined';

/**
 * Enumerates the combinations of the values that the variables of a command may have.
 *
 * Within one pass the same key returns the same choice, so that two uses of a variable agree.
 */
export class ValueChoices {
  readonly #mode: ChoiceMode;
  readonly #picks = new Map<string, { index: number; readonly count: number }>();

  constructor(mode: ChoiceMode = 'apart') {
    this.#mode = mode;
  }

  /** Whether all values are used at once because there are too many combinations. */
  get combinesAll(): boolean {
    return this.#mode !== 'apart';
  }

  /** Returns one of several values, or all of them in a combining mode. */
  field(key: string, options: readonly Field[]): Field {
    if (options.length < 2 || !this.combinesAll) return options[this.pick(key, options.length)] ?? [];
    return this.all(options);
  }

  /** Returns all values as one field: a mix, or the values in sequence. */
  all(options: readonly Field[]): Field {
    return this.#mode === 'mixed' ? toMix(options) : joinFields(options);
  }

  /** Whether at most one variable has alternatives, so that there are no combinations. */
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

  /** Moves to the next combination; `false` after the last one. */
  advance(): boolean {
    for (const [key, pick] of [...this.#picks].reverse()) {
      if (pick.index + 1 < pick.count) {
        pick.index += 1;
        return true;
      }
      // Later choices may not occur again with another value of this one.
      this.#picks.delete(key);
    }
    return false;
  }
}
