import { unescapeAnsi } from '../expand/default.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, toField, UNKNOWN } from '../words/atom.ts';
import { concat } from '../words/join.ts';

/** `printf`: the format is used again until the words are used up. */
export function formatText(format: Field, words: readonly Field[]): Field {
  const text = literalOf(format);
  if (text === null) return concat(format, ...words);
  const pieces = text.match(/%%|%[-+ #0]*(?:\*|\d*)(?:\.(?:\*|\d*))?[a-zA-Z]|%\([^)]*\)T|[^%]+|%/g) ?? [];
  const slots = pieces.filter(isSlot).length;
  const rounds = slots === 0 ? 1 : Math.max(1, Math.ceil(words.length / slots));
  const rest = [...words];
  const fill = (piece: string): Field => (isSlot(piece) ? slot(piece, rest.shift()) : plain(piece));
  return concat(...Array.from({ length: rounds }, () => pieces.map(fill)).flat());
}

function isSlot(piece: string): boolean {
  return piece.length > 1 && piece.startsWith('%') && piece !== '%%';
}

function plain(piece: string): Field {
  return toField(piece === '%%' ? '%' : unescapeAnsi(piece));
}

function slot(piece: string, word: Field | undefined): Field {
  const field = word ?? [];
  const kind = piece.at(-1);
  if (kind === 's' || kind === 'q' || kind === 'd' || kind === 'i') return field;
  const text = literalOf(field);
  if (kind === 'b') return text === null ? field : toField(unescapeAnsi(text));
  if (kind === 'c') return text === null ? UNKNOWN : toField(text.slice(0, 1));
  return UNKNOWN;
}
