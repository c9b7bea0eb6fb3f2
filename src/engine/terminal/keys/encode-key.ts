import { encodeLegacy } from './encode-legacy.ts';
import { type KeyModes, KITTY } from './key-modes.ts';
import { readKey } from './read-key.ts';
import {
  CODES,
  HELD,
  isCharacter,
  LETTERS,
  LOCKS,
  type TerminalKey,
  TILDES,
  textOf,
  toKey,
} from './terminal-key.ts';

/** What a program gets for a key, the way it asked for. */
export function encodeKey(key: TerminalKey, modes: KeyModes): string {
  const { kitty } = modes;
  if ((kitty & (KITTY.disambiguate | KITTY.everyKey)) === 0 && key.event !== 'release')
    return encodeLegacy(key, modes);
  if (key.event === 'release' && !tellsRelease(key, kitty)) return '';
  const event = (kitty & KITTY.events) === 0 ? 'press' : key.event;
  const modifiers = (kitty & KITTY.everyKey) === 0 ? key.modifiers & ~LOCKS : key.modifiers;
  const plain = { ...key, event, modifiers };
  return writesItself(plain, kitty)
    ? encodeLegacy({ ...plain, event: 'press' }, modes)
    : encodeKitty(plain, kitty);
}

/** Typed text: where even letters are sequences, one for each. */
export function encodeText(text: string, modes: KeyModes): string {
  const typed = text.replace(/\r?\n/g, '\r');
  if ((modes.kitty & KITTY.everyKey) === 0) return typed;
  return [...typed].map((each) => encodeKey(readKey(each) ?? toKey(each), modes)).join('');
}

/** Pasted text, marked as such where the program wants that. */
export function encodePaste(text: string, { bracketedPaste }: KeyModes): string {
  // A mark inside would end the paste early, and what follows would be taken for typed.
  const safe = text.replaceAll('\x1b[201~', '').replace(/\r?\n/g, '\r');
  return bracketedPaste ? `\x1b[200~${safe}\x1b[201~` : safe;
}

/** These went on writing what they always wrote, so that one can still type `reset` after a program has died. */
const ALWAYS = new Set(['enter', 'tab', 'backspace']);

function tellsRelease({ name }: TerminalKey, kitty: number): boolean {
  return (kitty & KITTY.events) !== 0 && (!ALWAYS.has(name) || (kitty & KITTY.everyKey) !== 0);
}

function writesItself({ name, modifiers, event }: TerminalKey, kitty: number): boolean {
  if ((kitty & KITTY.everyKey) !== 0 || event === 'release') return false;
  return ALWAYS.has(name) ? modifiers === 0 : isCharacter(name) && (modifiers & ~HELD.shift) === 0;
}

const EVENTS = { press: '', repeat: ':2', release: ':3' } as const;

function encodeKitty(key: TerminalKey, kitty: number): string {
  const { name, modifiers, event } = key;
  const held = modifiers === 0 && event === 'press' ? '' : `${modifiers + 1}${EVENTS[event]}`;
  // `ESC [ R` is where the cursor is.
  const letter = name === 'f3' ? undefined : LETTERS[name];
  if (letter !== undefined) return sequence(held === '' ? [] : ['1', held], letter);
  const tilde = name === 'f3' ? 13 : TILDES[name];
  if (tilde !== undefined) return sequence([String(tilde), held], '~');
  const written = (kitty & KITTY.text) === 0 || event === 'release' ? '' : textWith(key);
  const text = [...written].map((each) => each.codePointAt(0)).join(':');
  return sequence([codesOf(key, kitty), held, text], 'u');
}

/** What is empty at the end is left out. */
function sequence(parts: readonly string[], final: string): string {
  return `\x1b[${parts.join(';').replace(/;+$/, '')}${final}`;
}

function textWith(key: TerminalKey): string {
  return (key.modifiers & ~(HELD.shift | LOCKS)) === 0 ? textOf(key) : '';
}

function codesOf({ name, modifiers, shifted, standard }: TerminalKey, kitty: number): string {
  const [, number] = /^key-(\d+)$/.exec(name) ?? [];
  const code = number ?? CODES[name] ?? name.codePointAt(0) ?? 0;
  if ((kitty & KITTY.alternates) === 0) return String(code);
  const upper = shifted ?? (isCharacter(name) ? name.toUpperCase().codePointAt(0) : undefined);
  const withShift =
    (modifiers & HELD.shift) !== 0 && upper !== undefined && upper !== code ? String(upper) : '';
  return [code, withShift, standard ?? ''].join(':').replace(/:+$/, '');
}
