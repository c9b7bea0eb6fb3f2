import { readKey } from '../../../index.ts';

/** A key as the live table knows it: a character, or the name of one that is none. */
export type LiveKey = string;

const CTRL = 4;

/** What some terminals send for these is another key to others. */
const SAME: Readonly<Record<string, LiveKey>> = { '\n': 'enter', '\b': 'backspace', ' ': ' ' };

const NAMED: ReadonlySet<string> = new Set([
  ...['up', 'down', 'page-up', 'page-down', 'home', 'end', 'escape', 'enter', 'backspace'],
]);

/** What a terminal sent, cut into keys; those that mean nothing here are left out. */
export function parseKeys(text: string): LiveKey[] {
  const pieces = text.match(/\x1b(?:\[[0-9;:]*[ -/]*[@-~]|O.)?|[\s\S]/gu) ?? [];
  return pieces.flatMap((piece) => SAME[piece] ?? toLiveKey(piece) ?? []);
}

function toLiveKey(piece: string): LiveKey | null {
  const key = readKey(piece);
  if (key === null || key.event === 'release') return null;
  if (NAMED.has(key.name)) return key.modifiers === 0 ? key.name : null;
  if (key.modifiers === CTRL) return key.name === 'c' ? 'ctrl-c' : null;
  return key.text === '' ? null : key.text;
}
