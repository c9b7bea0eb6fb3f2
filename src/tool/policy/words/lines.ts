import type { Atom, Field } from './atom.ts';
import { pushAtom } from './atom.ts';

/** The lines of a text, without their ends; an empty last one is none. */
export function linesOf(text: Field): readonly Field[] {
  return cutAt(text, '\n').filter((line, index, all) => line.length > 0 || index < all.length - 1);
}

/** Cuts a text at one character. */
export function cutAt(text: Field, separator: string): readonly Field[] {
  const pieces: Atom[][] = [[]];
  for (const atom of text) {
    if (atom.kind !== 'text') {
      pieces.at(-1)?.push(atom);
      continue;
    }
    const [head = '', ...rest] = atom.text.split(separator);
    pushAtom(pieces.at(-1) ?? [], { kind: 'text', text: head });
    for (const piece of rest) pieces.push(piece === '' ? [] : [{ kind: 'text', text: piece }]);
  }
  return pieces;
}

/** Splits a text at any of the separators, as `read` does. */
export function splitFields(text: Field, separators: string): readonly Field[] {
  let pieces: readonly Field[] = [text];
  for (const separator of separators) pieces = pieces.flatMap((piece) => cutAt(piece, separator));
  return pieces.filter((piece) => piece.length > 0);
}

/** `$( )` takes the line ends off the end. */
export function withoutLineEnds(text: Field): Field {
  const last = text.at(-1);
  if (last?.kind !== 'text') return text;
  const trimmed = last.text.replace(/\n+$/, '');
  return trimmed === ''
    ? withoutLineEnds(text.slice(0, -1))
    : [...text.slice(0, -1), { kind: 'text', text: trimmed }];
}
