/** How often a word was found, and how often a line with it meant it. */
interface Use {
  found: number;
  meant: number;
}

/** So often a word is believed, and beyond that only while this share of its lines means it. */
const BELIEVED = 4000;
const MIN_SHARE = 0.02;

/** Knows which words say nothing in this output: every line of a log may have "error" in it. */
export class WornWords {
  readonly #uses = new Map<number, Use>();

  isWorn(word: number): boolean {
    const use = this.#uses.get(word);
    return use !== undefined && use.found > BELIEVED && use.meant < use.found * MIN_SHARE;
  }

  count(word: number, meant: boolean): void {
    const use = this.#uses.get(word) ?? { found: 0, meant: 0 };
    use.found += 1;
    if (meant) use.meant += 1;
    this.#uses.set(word, use);
  }
}
