import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { charactersOf } from '../../table/clip.ts';
import type { Draft } from './editor.ts';

export interface CompletionPlace {
  readonly cwd: string;
  readonly home: string;
  readonly searchPath: string;
  /** What begins with a slash at the start of the line. */
  readonly orders: readonly string[];
}

export interface Completion {
  readonly draft: Draft;
  /** What it could be, where there is more than one way on. */
  readonly choices: readonly string[];
}

const MOST_CHOICES = 200;

/** Completes the word before the cursor: an order, a program at the start of a command, or a path. */
export function complete({ text, cursor }: Draft, place: CompletionPlace): Completion {
  const characters = charactersOf(text);
  const before = characters.slice(0, cursor).join('');
  const after = characters.slice(cursor).join('');
  const [word = ''] = /(?:\\.|[^\s\\|&;()<>])*$/.exec(before) ?? [];
  const head = before.slice(0, before.length - word.length);
  const choices = choicesFor(word, head, place);
  if (choices.length === 0) return { draft: { text, cursor }, choices };
  const common = commonStart(choices);
  const [only] = choices;
  const end = choices.length > 1 || only?.endsWith('/') ? '' : ' ';
  const done = `${head}${common.length > word.length || choices.length === 1 ? common : word}${end}`;
  return {
    draft: { text: done + after, cursor: charactersOf(done).length },
    choices: choices.length > 1 ? choices : [],
  };
}

function choicesFor(word: string, head: string, place: CompletionPlace): string[] {
  if (head === '' && word.startsWith('/') && !word.slice(1).includes('/')) {
    const orders = place.orders.filter((order) => order.startsWith(word));
    if (orders.length > 0) return orders;
  }
  const plain = word.replace(/^!{1,2}/, '');
  const mark = word.slice(0, word.length - plain.length);
  const isProgram = /(^|[|&;(])\s*$/.test(head) && !plain.includes('/') && !/^[.~]/.test(plain);
  const found = isProgram && plain !== '' ? programs(plain, place.searchPath) : paths(plain, place);
  return [...new Set(found)]
    .sort()
    .slice(0, MOST_CHOICES)
    .map((choice) => mark + choice);
}

function programs(start: string, searchPath: string): string[] {
  return searchPath
    .split(':')
    .filter((directory) => directory.startsWith('/'))
    .flatMap((directory) => namesIn(directory).filter((name) => name.startsWith(start)));
}

function paths(word: string, { cwd, home }: CompletionPlace): string[] {
  const plain = word.replace(/\\(.)/g, '$1');
  const folder = plain.endsWith('/')
    ? plain
    : dirname(plain) === '.' && !plain.startsWith('./')
      ? ''
      : `${dirname(plain)}/`;
  const start = plain.endsWith('/') ? '' : basename(plain);
  const directory = resolve(cwd, folder.replace(/^~(?=\/|$)/, home) || '.');
  return namesIn(directory)
    .filter((name) => name.startsWith(start) && (start.startsWith('.') || !name.startsWith('.')))
    .map(
      (name) => quoteName(folder.replace('//', '/') + name) + (isDirectory(join(directory, name)) ? '/' : ''),
    );
}

function quoteName(path: string): string {
  return path.replace(/[\s\\'"$`!*?[\](){}<>|&;#]/g, '\\$&');
}

function namesIn(directory: string): string[] {
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

function commonStart([first = '', ...others]: readonly string[]): string {
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length);
}
