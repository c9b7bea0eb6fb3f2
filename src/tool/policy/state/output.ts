import type { Field } from '../words/atom.ts';
import { concat, distinct, OVERFLOW } from '../words/atom.ts';

const MAX_TEXTS = 32;

/** What a command prints, as far as that is known: one of these texts. */
export class Output {
  texts: readonly Field[] = [[]];

  write(added: readonly Field[]): void {
    const product = this.texts.length * added.length;
    this.texts =
      product > MAX_TEXTS * MAX_TEXTS
        ? [OVERFLOW]
        : distinct(
            this.texts.flatMap((text) => added.map((more) => concat(text, more))),
            MAX_TEXTS,
          );
  }

  /** Runs the branches one by one from the same point; afterwards any of them may have printed. */
  branch(branches: readonly (() => void)[]): void {
    const before = this.texts;
    const after: Field[] = [];
    for (const branch of branches) {
      this.texts = before;
      branch();
      after.push(...this.texts);
    }
    this.texts = distinct(after, MAX_TEXTS);
  }
}
