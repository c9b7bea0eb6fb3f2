import type { Entry } from '../view/entry.ts';
import type { Block } from './condenser.ts';

export interface BlockEnds {
  readonly keep: (entry: Entry) => void;
  readonly drop: (entry: Entry, what: string) => void;
}

/** A block that is longer than this is not held any longer. */
const LONGEST = 200;

/** Holds lines back until it is known whether anybody wants them. */
export class BlockHold {
  readonly #blocks: readonly Block[];
  readonly #ends: BlockEnds;
  #open: Block | null = null;
  #held: Entry[] = [];

  constructor(blocks: readonly Block[], ends: BlockEnds) {
    this.#blocks = blocks;
    this.#ends = ends;
  }

  add(entry: Entry): void {
    const { start: text } = entry.line;
    const begins = this.#blocks.find((block) => block.begins.test(text));
    if (this.#open === null && begins === undefined) {
      this.#ends.keep(entry);
      return;
    }
    this.#open ??= begins ?? null;
    this.#held.push(entry);
    if (this.#open?.endsWell.test(text) === true) this.#drop(this.#open);
    else if (this.#open?.endsBadly.test(text) === true || this.#held.length > LONGEST) this.end();
  }

  /** What is held is let go: nobody said that it may be left out. */
  end(): void {
    const held = this.#held;
    this.#held = [];
    this.#open = null;
    for (const entry of held) this.#ends.keep(entry);
  }

  #drop({ what }: Block): void {
    const held = this.#held;
    this.#held = [];
    this.#open = null;
    for (const entry of held) this.#ends.drop(entry, what);
  }
}
