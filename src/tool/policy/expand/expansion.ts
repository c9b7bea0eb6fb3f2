import type { Word } from 'unbash';
import type { Frame, Machine } from '../state/machine.ts';
import type { Field } from '../words/atom.ts';
import type { Choices } from '../words/choices.ts';

/** What the rules for `$name` and `${name…}` need from whoever evaluates the word around them. */
export interface Expansion {
  readonly machine: Machine;
  readonly frame: Frame;
  readonly choices: Choices;
  readonly ifs: string;
  single(word: Word, purpose?: 'assignment' | 'text'): Field;
  pattern(word: Word): Field;
}

/** How an expansion stands in its word. */
export interface Use {
  readonly expander: Expansion;
  readonly quoted: boolean;
}
