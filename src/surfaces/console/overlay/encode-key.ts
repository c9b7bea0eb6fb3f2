import type { KeyModes } from '../../../index.ts';
import type { Key } from '../keys/key.ts';

/** Cursor keys without modifiers: the only ones that depend on the program's mode. */
const CURSOR = /^\x1b[[O]([ABCDHF])$/;

/** `ESC [ code ; modifiers u`, as terminals of the newer kind send it. */
const KITTY = /^\x1b\[(\d+)(?::\d*)*(?:;(\d+)(?::\d+)?)?(?:;[\d:]*)?u$/;

/**
 * What a program gets for a key: what it would get from a terminal of its own. Keys come to us as our terminal sends
 * them, which may be the newer way; a program that did not ask for that gets the old one.
 */
export function encodeKey({ name, text, raw }: Key, modes: KeyModes): string {
  if (name === 'paste') return encodePaste(text, modes);
  const [, cursor] = CURSOR.exec(raw) ?? [];
  if (cursor !== undefined) return `\x1b${modes.applicationCursor ? 'O' : '['}${cursor}`;
  const [, code, modifiers = '1'] = KITTY.exec(raw) ?? [];
  return code === undefined ? raw : toLegacy(Number(code), Number(modifiers) - 1);
}

function encodePaste(text: string, { bracketedPaste }: KeyModes): string {
  // A mark inside would end the paste early, and what follows would be taken for typed.
  const safe = text.replaceAll('\x1b[201~', '').replace(/\r?\n/g, '\r');
  return bracketedPaste ? `\x1b[200~${safe}\x1b[201~` : safe;
}

const SHIFT = 1;
const ALT = 2;
const CTRL = 4;

function toLegacy(code: number, modifiers: number): string {
  const character = String.fromCodePoint(code);
  if (code === 9 && (modifiers & SHIFT) !== 0) return '\x1b[Z';
  const shifted = (modifiers & SHIFT) !== 0 ? character.toUpperCase() : character;
  const bytes = (modifiers & CTRL) !== 0 ? toControl(character) : shifted;
  return (modifiers & ALT) !== 0 ? `\x1b${bytes}` : bytes;
}

function toControl(character: string): string {
  const code = character.toUpperCase().charCodeAt(0);
  if (code >= 64 && code <= 95) return String.fromCharCode(code - 64);
  if (character === ' ') return '\x00';
  return character === '?' ? '\x7f' : character;
}
