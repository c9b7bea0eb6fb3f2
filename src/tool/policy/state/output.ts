import type { Field } from '../words/atom.ts';
import { concat } from '../words/join.ts';
import { uniteTexts } from '../words/texts.ts';

/** What a command prints, as far as that is known: one of these texts. */
export class Output {
  texts: readonly Field[] = [[]];

  write(added: readonly Field[]): void {
    const texts = this.texts.flatMap((text) => added.map((more) => concat(text, more)));
    this.texts = uniteTexts(texts);
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
    this.texts = uniteTexts(after);
  }
}
