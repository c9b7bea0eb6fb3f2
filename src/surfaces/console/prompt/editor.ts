import { charactersOf } from '../../table/clip.ts';
import type { Key } from '../keys/key.ts';

/** The line a person is writing. */
export interface Draft {
  readonly text: string;
  /** In characters as a reader counts them, from the start. */
  readonly cursor: number;
}

export const EMPTY_DRAFT: Draft = { text: '', cursor: 0 };

type Edit = (characters: readonly string[], cursor: number) => Draft;

const at = (characters: readonly string[], cursor: number): Draft => ({
  text: characters.join(''),
  cursor: Math.max(0, Math.min(cursor, characters.length)),
});

const cut = (characters: readonly string[], from: number, to: number): Draft =>
  at([...characters.slice(0, from), ...characters.slice(to)], from);

/** The keys that everybody who has used a shell has in the fingers. */
const EDITS: Readonly<Record<string, Edit>> = {
  left: (all, cursor) => at(all, cursor - 1),
  right: (all, cursor) => at(all, cursor + 1),
  home: (all) => at(all, 0),
  end: (all) => at(all, all.length),
  'ctrl-a': (all) => at(all, 0),
  'ctrl-e': (all) => at(all, all.length),
  'ctrl-f': (all, cursor) => at(all, cursor + 1),
  'alt-b': (all, cursor) => at(all, wordStart(all, cursor)),
  'alt-f': (all, cursor) => at(all, wordEnd(all, cursor)),
  'ctrl-left': (all, cursor) => at(all, wordStart(all, cursor)),
  'ctrl-right': (all, cursor) => at(all, wordEnd(all, cursor)),
  backspace: (all, cursor) => (cursor === 0 ? at(all, 0) : cut(all, cursor - 1, cursor)),
  delete: (all, cursor) => cut(all, cursor, cursor + 1),
  'ctrl-u': (all, cursor) => cut(all, 0, cursor),
  'ctrl-k': (all, cursor) => cut(all, cursor, all.length),
  'ctrl-w': (all, cursor) => cut(all, wordStart(all, cursor, /\s/), cursor),
  'alt-backspace': (all, cursor) => cut(all, wordStart(all, cursor), cursor),
  'alt-d': (all, cursor) => cut(all, cursor, wordEnd(all, cursor)),
  'alt-enter': (all, cursor) => insert(all, cursor, '\n'),
  space: (all, cursor) => insert(all, cursor, ' '),
};

/** The draft after a key; `null` for a key that does not edit. */
export function edit({ text, cursor }: Draft, key: Key): Draft | null {
  const characters = charactersOf(text);
  if (key.name === 'text' || key.name === 'paste') return insert(characters, cursor, clean(key.text));
  return EDITS[key.name]?.(characters, cursor) ?? null;
}

export function draftOf(text: string): Draft {
  return { text, cursor: charactersOf(text).length };
}

function insert(characters: readonly string[], cursor: number, text: string): Draft {
  const added = charactersOf(text);
  return at([...characters.slice(0, cursor), ...added, ...characters.slice(cursor)], cursor + added.length);
}

/** What a terminal could take for an order stays out of the line. */
function clean(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '  ')
    .replace(/[\x00-\x09\x0b-\x1f\x7f]/g, '');
}

const WORD_BREAK = /[^\p{L}\p{N}_]/u;

function wordStart(characters: readonly string[], cursor: number, breaks: RegExp = WORD_BREAK): number {
  let place = cursor;
  while (place > 0 && breaks.test(characters[place - 1] ?? '')) place--;
  while (place > 0 && !breaks.test(characters[place - 1] ?? '')) place--;
  return place;
}

function wordEnd(characters: readonly string[], cursor: number): number {
  let place = cursor;
  while (place < characters.length && WORD_BREAK.test(characters[place] ?? '')) place++;
  while (place < characters.length && !WORD_BREAK.test(characters[place] ?? '')) place++;
  return place;
}
