import { type Atom, type Field, flattenMix, pushAtom, toField } from './field.ts';

/** Assembles the expanded parts of a word and splits it into fields as bash does. */
export class FieldBuilder {
  readonly #fields: Field[] = [];
  readonly #ifs: string;
  #current: Atom[] | undefined;

  constructor(ifs: string) {
    this.#ifs = ifs;
  }

  /** Adds text that is not split; an empty text still creates a field. */
  quoted(field: Field): void {
    this.#current ??= [];
    for (const atom of field) pushAtom(this.#current, atom);
  }

  /** Adds literal script text: it is not split, and an empty text creates no field. */
  bare(field: Field): void {
    if (field.length > 0) this.quoted(field);
  }

  /** Adds the result of an unquoted expansion: it is split at IFS, and its patterns are active. */
  expanded(field: Field): void {
    for (const atom of field) {
      if (atom.kind === 'text') this.#splitText(atom.text);
      else this.quoted([atom]);
    }
  }

  /** Ends the current field, as `"$@"` does between its elements. */
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
      // A separator that is not white space delimits empty fields, too.
      if (!' \t\n'.includes(char)) this.#current ??= [];
      this.endField();
    }
    this.bare(toGlobField(piece));
  }
}

/** Converts text to a field in which `*`, `?` and `[…]` are patterns. */
export function toGlobField(text: string): Field {
  if (!/[*?[]/.test(text)) return toField(text);
  const atoms: Atom[] = [];
  for (const [piece] of text.matchAll(/\*+|\?|\[[!^]?\]?[^\]/]*\]|[^*?[]+|\[/g))
    pushAtom(
      atoms,
      /^(?:\*|\?|\[.)/s.test(piece) ? { kind: 'glob', text: piece } : { kind: 'text', text: piece },
    );
  return atoms;
}
