/**
 * Walks through every combination of the values that a command's variables may have.
 *
 * Evaluation asks `pick` whenever several values are possible; the same key gets
 * the same answer within one pass, so that two uses of a variable agree.
 */
export class Choices {
  readonly #picks = new Map<string, { index: number; readonly count: number }>();

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
