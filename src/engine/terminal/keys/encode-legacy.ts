import type { KeyModes } from './key-modes.ts';
import { CODES, HELD, isCharacter, LETTERS, type TerminalKey, TILDES, textOf } from './terminal-key.ts';

/** Only these begin in another way when a program asks for it; the function keys always do. */
const CURSOR = /^[ABCDFH]$/;

/** What a terminal of the old kind sends for a key; empty for one that is let go, or that it does not know. */
export function encodeLegacy(key: TerminalKey, modes: KeyModes): string {
  if (key.event === 'release') return '';
  const held = key.modifiers & (HELD.shift | HELD.alt | HELD.ctrl);
  const letter = LETTERS[key.name];
  if (letter !== undefined && held !== 0) return `\x1b[1;${held + 1}${letter}`;
  if (letter !== undefined)
    return `\x1b${!CURSOR.test(letter) || modes.applicationCursor ? 'O' : '['}${letter}`;
  const tilde = TILDES[key.name];
  if (tilde !== undefined) return `\x1b[${tilde}${held === 0 ? '' : `;${held + 1}`}~`;
  if (isOther(key, held, modes.modifyOtherKeys)) return `\x1b[27;${held + 1};${codeOf(key)}~`;
  return withAlt(encodePlain(key, held), held);
}

function codeOf(key: TerminalKey): number {
  return CODES[key.name] ?? textOf({ ...key, text: '' }).codePointAt(0) ?? 0;
}

function withAlt(bytes: string, held: number): string {
  return (held & HELD.alt) === 0 || bytes === '' || bytes === '\x1b[Z' ? bytes : `\x1b${bytes}`;
}

function encodePlain(key: TerminalKey, held: number): string {
  const isControl = (held & HELD.ctrl) !== 0;
  if (key.name === 'tab' && (held & HELD.shift) !== 0) return '\x1b[Z';
  if (key.name === 'backspace') return isControl ? '\b' : '\x7f';
  const code = CODES[key.name];
  if (code !== undefined && key.name !== 'space') return String.fromCharCode(code);
  if (!isCharacter(key.name)) return '';
  return isControl ? toControl(key.name) : textOf(key);
}

/** The digits and signs that share a control character with a letter on most keyboards. */
const CONTROLS: Readonly<Record<string, string>> = {
  ...{
    space: '\x00',
    '2': '\x00',
    '3': '\x1b',
    '4': '\x1c',
    '5': '\x1d',
    '6': '\x1e',
    '7': '\x1f',
    '8': '\x7f',
  },
  ...{ '/': '\x1f', '?': '\x7f', '~': '\x1e' },
};

function toControl(name: string): string {
  const known = CONTROLS[name];
  if (known !== undefined) return known;
  const code = name.toUpperCase().charCodeAt(0);
  return code >= 64 && code <= 95 ? String.fromCharCode(code - 64) : name;
}

/** Whether the way of xterm applies: at level 1 to keys that would lose what is held, at level 2 to all but capital letters. */
function isOther({ name }: TerminalKey, held: number, level: KeyModes['modifyOtherKeys']): boolean {
  if (level === 0 || held === 0 || (name === 'tab' && held === HELD.shift)) return false;
  const isText = isCharacter(name) && name !== 'space';
  if (isText && held === HELD.shift) return false;
  if (level === 2) return true;
  if (!isText)
    return name !== 'space' && (held & ~HELD.alt) !== 0 && !(name === 'backspace' && held === HELD.ctrl);
  return (held & HELD.ctrl) !== 0 && toControl(name) === name;
}
