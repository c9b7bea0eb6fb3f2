import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { splitGraphemes } from '../../rendering/text-width.ts';
import type { KeyPress } from '../screen/key-reader.ts';

/** The line being edited. */
export interface LineDraft {
  readonly text: string;
  /** Offset in grapheme clusters. */
  readonly cursor: number;
}

export const EMPTY_DRAFT: LineDraft = { text: '', cursor: 0 };

type DraftEdit = (characters: readonly string[], cursor: number) => LineDraft;

const draftAt = (characters: readonly string[], cursor: number): LineDraft => ({
  text: characters.join(''),
  cursor: Math.max(0, Math.min(cursor, characters.length)),
});

const deleteRange = (characters: readonly string[], from: number, to: number): LineDraft =>
  draftAt([...characters.slice(0, from), ...characters.slice(to)], from);

/** The common key bindings of shells (readline, emacs mode). */
const KEY_EDITS: Readonly<Record<string, DraftEdit>> = {
  left: (all, cursor) => draftAt(all, cursor - 1),
  right: (all, cursor) => draftAt(all, cursor + 1),
  home: (all) => draftAt(all, 0),
  end: (all) => draftAt(all, all.length),
  'ctrl-a': (all) => draftAt(all, 0),
  'ctrl-e': (all) => draftAt(all, all.length),
  'ctrl-f': (all, cursor) => draftAt(all, cursor + 1),
  'alt-b': (all, cursor) => draftAt(all, wordStart(all, cursor)),
  'alt-f': (all, cursor) => draftAt(all, wordEnd(all, cursor)),
  'ctrl-left': (all, cursor) => draftAt(all, wordStart(all, cursor)),
  'ctrl-right': (all, cursor) => draftAt(all, wordEnd(all, cursor)),
  backspace: (all, cursor) => (cursor === 0 ? draftAt(all, 0) : deleteRange(all, cursor - 1, cursor)),
  delete: (all, cursor) => deleteRange(all, cursor, cursor + 1),
  'ctrl-u': (all, cursor) => deleteRange(all, 0, cursor),
  'ctrl-k': (all, cursor) => deleteRange(all, cursor, all.length),
  'ctrl-w': (all, cursor) => deleteRange(all, wordStart(all, cursor, /\s/), cursor),
  'alt-backspace': (all, cursor) => deleteRange(all, wordStart(all, cursor), cursor),
  'alt-d': (all, cursor) => deleteRange(all, cursor, wordEnd(all, cursor)),
  'alt-enter': (all, cursor) => insertText(all, cursor, '\n'),
  space: (all, cursor) => insertText(all, cursor, ' '),
};

/** Applies a key to the draft; `null` for a key that does not edit. */
export function editDraft({ text, cursor }: LineDraft, key: KeyPress): LineDraft | null {
  const characters = splitGraphemes(text);
  if (key.name === 'text' || key.name === 'paste')
    return insertText(characters, cursor, toTypedText(key.text));
  return KEY_EDITS[key.name]?.(characters, cursor) ?? null;
}

export function toDraft(text: string): LineDraft {
  return { text, cursor: splitGraphemes(text).length };
}

function insertText(characters: readonly string[], cursor: number, text: string): LineDraft {
  const added = splitGraphemes(text);
  return draftAt(
    [...characters.slice(0, cursor), ...added, ...characters.slice(cursor)],
    cursor + added.length,
  );
}

/** Removes control characters, which the terminal could interpret. */
function toTypedText(text: string): string {
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

export interface CompletionSources {
  readonly cwd: string;
  readonly home: string;
  readonly searchPath: string;
  /** Slash commands, completed at the start of the line. */
  readonly orders: readonly string[];
}

export interface Completion {
  readonly draft: LineDraft;
  /** The candidates when the completion is ambiguous. */
  readonly choices: readonly string[];
}

const MAX_CHOICES = 200;

/** Completes the word before the cursor: a slash command, a program or a path. */
export function completeDraft({ text, cursor }: LineDraft, place: CompletionSources): Completion {
  const characters = splitGraphemes(text);
  const before = characters.slice(0, cursor).join('');
  const after = characters.slice(cursor).join('');
  const [word = ''] = /(?:\\.|[^\s\\|&;()<>])*$/.exec(before) ?? [];
  const head = before.slice(0, before.length - word.length);
  const choices = findChoices(word, head, place);
  if (choices.length === 0) return { draft: { text, cursor }, choices };
  const common = commonPrefix(choices);
  const [only] = choices;
  const end = choices.length > 1 || only?.endsWith('/') ? '' : ' ';
  const done = `${head}${common.length > word.length || choices.length === 1 ? common : word}${end}`;
  return {
    draft: { text: done + after, cursor: splitGraphemes(done).length },
    choices: choices.length > 1 ? choices : [],
  };
}

function findChoices(word: string, head: string, place: CompletionSources): string[] {
  if (head === '' && word.startsWith('/') && !word.slice(1).includes('/')) {
    const orders = place.orders.filter((order) => order.startsWith(word));
    if (orders.length > 0) return orders;
  }
  const plain = word.replace(/^!{1,2}/, '');
  const mark = word.slice(0, word.length - plain.length);
  const isProgram = /(^|[|&;(])\s*$/.test(head) && !plain.includes('/') && !/^[.~]/.test(plain);
  const found = isProgram && plain !== '' ? findPrograms(plain, place.searchPath) : findPaths(plain, place);
  return [...new Set(found)]
    .sort()
    .slice(0, MAX_CHOICES)
    .map((choice) => mark + choice);
}

function findPrograms(start: string, searchPath: string): string[] {
  return searchPath
    .split(':')
    .filter((directory) => directory.startsWith('/'))
    .flatMap((directory) => listDirectory(directory).filter((name) => name.startsWith(start)));
}

function findPaths(word: string, { cwd, home }: CompletionSources): string[] {
  const plain = word.replace(/\\(.)/g, '$1');
  const folder = plain.endsWith('/')
    ? plain
    : dirname(plain) === '.' && !plain.startsWith('./')
      ? ''
      : `${dirname(plain)}/`;
  const start = plain.endsWith('/') ? '' : basename(plain);
  const directory = resolve(cwd, folder.replace(/^~(?=\/|$)/, home) || '.');
  return listDirectory(directory)
    .filter((name) => name.startsWith(start) && (start.startsWith('.') || !name.startsWith('.')))
    .map(
      (name) => quoteName(folder.replace('//', '/') + name) + (isDirectory(join(directory, name)) ? '/' : ''),
    );
}

function quoteName(path: string): string {
  return path.replace(/[\s\\'"$`!*?[\](){}<>|&;#]/g, '\\$&');
}

function listDirectory(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function commonPrefix([first = '', ...others]: readonly string[]): string {
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length);
}
