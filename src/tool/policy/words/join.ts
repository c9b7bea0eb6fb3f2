import type { Atom, Field } from './atom.ts';
import { fieldKey, OVERFLOW, pushAtom, toField } from './atom.ts';

/** Joins fields to one; neighbouring texts become one atom, and a mix takes in what touches it. */
export function concat(...fields: readonly Field[]): Field {
  const atoms: Atom[] = [];
  for (const field of fields) for (const atom of field) pushAtom(atoms, atom);
  return settleMix(atoms);
}

/** A field with a mix in it becomes nothing but one: every word it could hold, its neighbours glued on. */
export function settleMix(atoms: Field): Field {
  if (atoms.length < 2 || !atoms.some(({ kind }) => kind === 'mix')) return atoms;
  const largest = Math.max(...atoms.map((atom) => (atom.kind === 'mix' ? atom.words.length : 0)));
  const settling: Settling = { words: [], open: [[]] };
  for (const atom of atoms) {
    takeAtom(atom, settling);
    if (settling.open.length > Math.max(MAX_GLUED, 2 * largest + 2)) return OVERFLOW;
  }
  return mixOf([...settling.words, ...settling.open]);
}

interface Settling {
  readonly words: Field[];
  /** The ways in which the word that is not finished yet may begin. */
  open: readonly Field[];
}

function takeAtom(atom: Atom, settling: Settling): void {
  const { words, open } = settling;
  if (atom.kind === 'text') {
    const [head = '', ...rest] = atom.text.split(/\s+/);
    settling.open = open.map((start) => glue(start, toField(head)));
    const last = rest.pop();
    if (last === undefined) return;
    words.push(...settling.open, ...rest.map(toField));
    settling.open = [toField(last)];
  } else if (atom.kind === 'mix') {
    words.push(...atom.words);
    const glued = open.flatMap((start) => atom.words.map((word) => glue(start, word)));
    settling.open = [...open, ...atom.words, ...glued];
  } else settling.open = open.map((start) => [...start, atom]);
}

function glue(start: Field, end: Field): Field {
  const atoms = [...start];
  for (const atom of end) pushAtom(atoms, atom);
  return atoms;
}

function mixedWords(field: Field): readonly Field[] | null {
  const [first] = field;
  return first?.kind === 'mix' ? first.words : null;
}

// More words than anybody lists, and more than come of putting two of them together.
const MAX_WORDS = 1_024;
const MAX_GLUED = 32;

/** What a variable may keep: a mix that grows with every turn of a loop would never settle. */
export const MAX_KEPT = 24;

/** Many possible values as the words they are made of. */
export function mixOf(fields: readonly Field[], limit: number = MAX_WORDS): Field {
  const words = new Map<string, Field>();
  for (const field of fields) for (const word of splitWords(field)) words.set(fieldKey(word), word);
  if (words.size > limit) return OVERFLOW;
  return words.size === 0 ? [] : [{ kind: 'mix', words: [...words.values()] }];
}

/** The words of a field, a mix taken apart. */
export function splitWords(field: Field): readonly Field[] {
  const mixed = mixedWords(field);
  if (mixed !== null && field.length === 1) return mixed;
  const words: Atom[][] = [[]];
  for (const atom of field) {
    if (atom.kind !== 'text') {
      words.at(-1)?.push(atom);
      continue;
    }
    const [head = '', ...rest] = atom.text.split(/\s+/);
    pushAtom(words.at(-1) ?? [], { kind: 'text', text: head });
    for (const piece of rest) words.push(piece === '' ? [] : [{ kind: 'text', text: piece }]);
  }
  return words.filter((word) => word.length > 0);
}

/** Different fields, in order; more than `limit` of them become one mix. */
export function distinct(fields: readonly Field[], limit: number): readonly Field[] {
  if (fields.length < 2) return fields;
  const byKey = new Map<string, Field>();
  for (const field of fields) byKey.set(fieldKey(field), field);
  return byKey.size > limit ? [mixOf([...byKey.values()], MAX_KEPT)] : [...byKey.values()];
}
