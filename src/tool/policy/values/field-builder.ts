import type { Atom, Field } from './field.ts';
import { flattenMix, pushAtom } from './field.ts';

/** Puts the pieces of a word together, and splits it where bash would. */
export class FieldBuilder {
  readonly #fields: Field[] = [];
  readonly #ifs: string;
  #current: Atom[] | undefined;

  constructor(ifs: string) {
    this.#ifs = ifs;
  }

  /** Text that stays as it is; even an empty one makes a word. */
  quoted(field: Field): void {
    this.#current ??= [];
    for (const atom of field) pushAtom(this.#current, atom);
  }

  /** Text of the script itself: never split, and nothing if empty. */
  bare(field: Field): void {
    if (field.length > 0) this.quoted(field);
  }

  /** What an unquoted expansion gave: split at the separators, and patterns in it are live. */
  expanded(field: Field): void {
    for (const atom of field) {
      if (atom.kind === 'text') this.#splitText(atom.text);
      else this.quoted([atom]);
    }
  }

  /** Ends the word here and starts another one, as `"$@"` does between its elements. */
  endField(): void {
    if (this.#current !== undefined) this.#fields.push(flattenMix(this.#current));
    this.#current = undefined;
  }

  finish(): readonly Field[] {
    this.endField();
    return this.#fields;
  }

  #splitText(text: string): void {
    let piece = '';
    for (const char of text) {
      if (!this.#ifs.includes(char)) {
        piece += char;
        continue;
      }
      this.bare(toGlobField(piece));
      piece = '';
      // Other separators than white space make a word even where there is none.
      if (!' \t\n'.includes(char)) this.#current ??= [];
      this.endField();
    }
    this.bare(toGlobField(piece));
  }
}

/** Text in which `*`, `?` and `[…]` are patterns. */
export function toGlobField(text: string): Field {
  if (!/[*?[]/.test(text)) return text === '' ? [] : [{ kind: 'text', text }];
  const atoms: Atom[] = [];
  for (const [piece] of text.matchAll(/\*+|\?|\[[!^]?\]?[^\]/]*\]|[^*?[]+|\[/g))
    pushAtom(
      atoms,
      /^(?:\*|\?|\[.)/s.test(piece) ? { kind: 'glob', text: piece } : { kind: 'text', text: piece },
    );
  return atoms;
}
