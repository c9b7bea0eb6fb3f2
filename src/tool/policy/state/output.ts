import type { Field } from '../words/atom.ts';
import { fieldKey } from '../words/atom.ts';
import { concat } from '../words/join.ts';

const MAX_TEXTS = 8;

/** What a command prints, as far as that is known: one of these texts. */
export class Output {
  texts: readonly Field[] = [[]];

  write(added: readonly Field[]): void {
    const texts = this.texts.flatMap((text) => added.map((more) => concat(text, more)));
    this.texts = keep(texts.length > MAX_TEXTS ? [concat(...this.texts, ...added)] : texts);
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
    this.texts = keep(after);
  }
}

/** Too many texts become one that holds them all, one after the other. */
function keep(texts: readonly Field[]): readonly Field[] {
  if (texts.length < 2) return texts;
  const byKey = new Map(texts.map((text) => [fieldKey(text), text]));
  return byKey.size > MAX_TEXTS ? [concat(...byKey.values())] : [...byKey.values()];
}
