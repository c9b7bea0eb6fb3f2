import { type KeyModes, KITTY_FLAGS } from './key-modes.ts';
import {
  createKey,
  isCharacterKey,
  KEY_CODES,
  keyText,
  LETTER_KEYS,
  LOCK_MODIFIERS,
  MODIFIERS,
  readKey,
  type TerminalKey,
  TILDE_KEYS,
} from './terminal-key.ts';

/** The bytes a terminal sends for a key in the given modes. */
export function encodeKey(key: TerminalKey, modes: KeyModes): string {
  const { kitty } = modes;
  if ((kitty & (KITTY_FLAGS.disambiguate | KITTY_FLAGS.everyKey)) === 0 && key.event !== 'release')
    return encodeLegacy(key, modes);
  if (key.event === 'release' && !reportsRelease(key, kitty)) return '';
  const event = (kitty & KITTY_FLAGS.events) === 0 ? 'press' : key.event;
  const modifiers = (kitty & KITTY_FLAGS.everyKey) === 0 ? key.modifiers & ~LOCK_MODIFIERS : key.modifiers;
  const plain = { ...key, event, modifiers };
  return isPlainText(plain, kitty)
    ? encodeLegacy({ ...plain, event: 'press' }, modes)
    : encodeKitty(plain, kitty);
}

/** The bytes for typed text. With the Kitty flag `everyKey` each character is a sequence. */
export function encodeText(text: string, modes: KeyModes): string {
  const typed = text.replace(/\r?\n/g, '\r');
  if ((modes.kitty & KITTY_FLAGS.everyKey) === 0) return typed;
  return [...typed].map((each) => encodeKey(readKey(each) ?? createKey(each), modes)).join('');
}

/** The bytes for pasted text, with paste marks if the program has enabled bracketed paste. */
export function encodePaste(text: string, { bracketedPaste }: KeyModes): string {
  // An end mark inside the text would end the paste, and the rest would count as typed.
  const safe = text.replaceAll('\x1b[201~', '').replace(/\r?\n/g, '\r');
  return bracketedPaste ? `\x1b[200~${safe}\x1b[201~` : safe;
}

/** These keys keep their legacy bytes, so that a user can type `reset` after a program has crashed. */
const ALWAYS = new Set(['enter', 'tab', 'backspace']);

function reportsRelease({ name }: TerminalKey, kitty: number): boolean {
  return (kitty & KITTY_FLAGS.events) !== 0 && (!ALWAYS.has(name) || (kitty & KITTY_FLAGS.everyKey) !== 0);
}

function isPlainText({ name, modifiers, event }: TerminalKey, kitty: number): boolean {
  if ((kitty & KITTY_FLAGS.everyKey) !== 0 || event === 'release') return false;
  return ALWAYS.has(name) ? modifiers === 0 : isCharacterKey(name) && (modifiers & ~MODIFIERS.shift) === 0;
}

const EVENT_SUFFIXES = { press: '', repeat: ':2', release: ':3' } as const;

function encodeKitty(key: TerminalKey, kitty: number): string {
  const { name, modifiers, event } = key;
  const held = modifiers === 0 && event === 'press' ? '' : `${modifiers + 1}${EVENT_SUFFIXES[event]}`;
  // `ESC [ R` is a cursor position report.
  const letter = name === 'f3' ? undefined : LETTER_KEYS[name];
  if (letter !== undefined) return renderCsiSequence(held === '' ? [] : ['1', held], letter);
  const tilde = name === 'f3' ? 13 : TILDE_KEYS[name];
  if (tilde !== undefined) return renderCsiSequence([String(tilde), held], '~');
  const written = (kitty & KITTY_FLAGS.text) === 0 || event === 'release' ? '' : associatedText(key);
  const text = [...written].map((each) => each.codePointAt(0)).join(':');
  return renderCsiSequence([codesOf(key, kitty), held, text], 'u');
}

/** Empty parameters at the end are omitted. */
function renderCsiSequence(parts: readonly string[], final: string): string {
  return `\x1b[${parts.join(';').replace(/;+$/, '')}${final}`;
}

function associatedText(key: TerminalKey): string {
  return (key.modifiers & ~(MODIFIERS.shift | LOCK_MODIFIERS)) === 0 ? keyText(key) : '';
}

function codesOf({ name, modifiers, shifted, standard }: TerminalKey, kitty: number): string {
  const [, number] = /^key-(\d+)$/.exec(name) ?? [];
  const code = number ?? KEY_CODES[name] ?? name.codePointAt(0) ?? 0;
  if ((kitty & KITTY_FLAGS.alternates) === 0) return String(code);
  const upper = shifted ?? (isCharacterKey(name) ? name.toUpperCase().codePointAt(0) : undefined);
  const withShift =
    (modifiers & MODIFIERS.shift) !== 0 && upper !== undefined && upper !== code ? String(upper) : '';
  return [code, withShift, standard ?? ''].join(':').replace(/:+$/, '');
}

/** Only these depend on the application cursor mode; function keys always begin with `ESC O`. */
const CURSOR_LETTERS = /^[ABCDFH]$/;

/** The bytes a terminal without the Kitty protocol sends for a key; empty for a release or an unknown key. */
function encodeLegacy(key: TerminalKey, modes: KeyModes): string {
  if (key.event === 'release') return '';
  const held = key.modifiers & (MODIFIERS.shift | MODIFIERS.alt | MODIFIERS.ctrl);
  const letter = LETTER_KEYS[key.name];
  if (letter !== undefined && held !== 0) return `\x1b[1;${held + 1}${letter}`;
  if (letter !== undefined)
    return `\x1b${!CURSOR_LETTERS.test(letter) || modes.applicationCursor ? 'O' : '['}${letter}`;
  const tilde = TILDE_KEYS[key.name];
  if (tilde !== undefined) return `\x1b[${tilde}${held === 0 ? '' : `;${held + 1}`}~`;
  if (usesModifyOtherKeys(key, held, modes.modifyOtherKeys)) return `\x1b[27;${held + 1};${codeOf(key)}~`;
  return withAlt(encodePlain(key, held), held);
}

function codeOf(key: TerminalKey): number {
  return KEY_CODES[key.name] ?? keyText({ ...key, text: '' }).codePointAt(0) ?? 0;
}

function withAlt(bytes: string, held: number): string {
  return (held & MODIFIERS.alt) === 0 || bytes === '' || bytes === '\x1b[Z' ? bytes : `\x1b${bytes}`;
}

function encodePlain(key: TerminalKey, held: number): string {
  const isControl = (held & MODIFIERS.ctrl) !== 0;
  if (key.name === 'tab' && (held & MODIFIERS.shift) !== 0) return '\x1b[Z';
  if (key.name === 'backspace') return isControl ? '\b' : '\x7f';
  const code = KEY_CODES[key.name];
  if (code !== undefined && key.name !== 'space') return String.fromCharCode(code);
  if (!isCharacterKey(key.name)) return '';
  return isControl ? toControl(key.name) : keyText(key);
}

/** Digits and signs that share a control character with a letter. */
const CONTROLS: Readonly<Record<string, string>> = {
  space: '\x00',
  '2': '\x00',
  '3': '\x1b',
  '4': '\x1c',
  '5': '\x1d',
  '6': '\x1e',
  '7': '\x1f',
  '8': '\x7f',
  '/': '\x1f',
  '?': '\x7f',
  '~': '\x1e',
};

function toControl(name: string): string {
  const known = CONTROLS[name];
  if (known !== undefined) return known;
  const code = name.toUpperCase().charCodeAt(0);
  return code >= 64 && code <= 95 ? String.fromCharCode(code - 64) : name;
}

/**
 * Whether xterm's modifyOtherKeys applies: level 1 covers keys that would lose their modifiers, level 2 all
 * modified keys except capital letters.
 */
function usesModifyOtherKeys(
  { name }: TerminalKey,
  held: number,
  level: KeyModes['modifyOtherKeys'],
): boolean {
  if (level === 0 || held === 0 || (name === 'tab' && held === MODIFIERS.shift)) return false;
  const isText = isCharacterKey(name) && name !== 'space';
  if (isText && held === MODIFIERS.shift) return false;
  if (level === 2) return true;
  if (!isText)
    return (
      name !== 'space' && (held & ~MODIFIERS.alt) !== 0 && !(name === 'backspace' && held === MODIFIERS.ctrl)
    );
  return (held & MODIFIERS.ctrl) !== 0 && toControl(name) === name;
}
