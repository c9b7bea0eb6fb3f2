/** A key with its modifiers, independent of how a terminal sends it. */
export interface TerminalKey {
  /**
   * `up`, `enter`, `f5`, …; the lower-case character of a key that writes one; `key-57441` for a key without a
   * name.
   */
  readonly name: string;
  readonly modifiers: number;
  readonly event: 'press' | 'repeat' | 'release';
  /** The text the key writes, if any. */
  readonly text: string;
  /** Code points with shift and in the standard layout, if the terminal reported them. */
  readonly shifted: number | null;
  readonly standard: number | null;
}

/** Modifier bits of the Kitty protocol. Higher bits are locks. */
export const MODIFIERS = { shift: 1, alt: 2, ctrl: 4, super: 8, hyper: 16, meta: 32 } as const;
export const LOCK_MODIFIERS: number = 64 | 128;

/** Keys encoded as a letter after `ESC [` or `ESC O`. */
export const LETTER_KEYS: Readonly<Record<string, string>> = {
  up: 'A',
  down: 'B',
  right: 'C',
  left: 'D',
  end: 'F',
  home: 'H',
  f1: 'P',
  f2: 'Q',
  f3: 'R',
  f4: 'S',
};

/** Keys encoded as a number before `~`. */
export const TILDE_KEYS: Readonly<Record<string, number>> = {
  insert: 2,
  delete: 3,
  'page-up': 5,
  'page-down': 6,
  f5: 15,
  f6: 17,
  f7: 18,
  f8: 19,
  f9: 20,
  f10: 21,
  f11: 23,
  f12: 24,
};

/** Keys encoded as a single control character. */
export const KEY_CODES: Readonly<Record<string, number>> = {
  tab: 9,
  enter: 13,
  escape: 27,
  space: 32,
  backspace: 127,
};

/** Creates a key press without modifiers; `more` overrides fields. */
export function createKey(name: string, more: Partial<TerminalKey> = {}): TerminalKey {
  return { name, modifiers: 0, event: 'press', text: '', shifted: null, standard: null, ...more };
}

/** Whether a key stands for one character. */
export function isCharacterKey(name: string): boolean {
  return name === 'space' || [...name].length === 1;
}

/** The character a key writes with its modifiers; empty for other keys. */
export function keyText({ name, text, modifiers, shifted }: TerminalKey): string {
  if (text !== '' || !isCharacterKey(name)) return text;
  if (name === 'space') return ' ';
  if ((modifiers & MODIFIERS.shift) === 0) return name;
  return shifted === null ? name.toUpperCase() : String.fromCodePoint(shifted);
}

const MODIFIER_PREFIX = /^(ctrl|alt|shift|super)-(?=.)/i;

/** The key names, for help and error messages. */
export const TERMINAL_KEY_NAMES: readonly string[] = [
  ...[KEY_CODES, TILDE_KEYS, LETTER_KEYS]
    .flatMap((table) => Object.keys(table))
    .filter((name) => !/^f\d/.test(name)),
  'f1 to f12',
  'every single character',
  'and each of them with ctrl-, alt- or shift- before it',
];

/** Parses a key name such as `ctrl-shift-up`; `null` if unknown. Case matters only for single characters. */
export function parseKeyName(name: string): TerminalKey | null {
  let rest = name;
  let modifiers = 0;
  for (let found = MODIFIER_PREFIX.exec(rest); found !== null; found = MODIFIER_PREFIX.exec(rest)) {
    modifiers |= MODIFIERS[(found[1] ?? '').toLowerCase() as keyof typeof MODIFIERS];
    rest = rest.slice(found[0].length);
  }
  const lower = rest.toLowerCase();
  if ([KEY_CODES, TILDE_KEYS, LETTER_KEYS].some((table) => Object.hasOwn(table, lower)))
    return createKey(lower, { modifiers });
  if ([...rest].length !== 1 || /[\x00-\x20\x7f]/.test(rest)) return null;
  // `ctrl-C` means ctrl-c; `alt-B` means alt with a capital letter.
  const isCapital = lower !== rest && (modifiers & MODIFIERS.ctrl) === 0;
  return createKey(lower, { modifiers: modifiers | (isCapital ? MODIFIERS.shift : 0) });
}

const SEQUENCE = /^\x1b\[([\d:]*)(?:;([\d:]*))?(?:;([\d:]*))?([A-Za-z~])$/;

const BY_LETTER = invertTable(LETTER_KEYS);
const BY_CODE = invertTable(KEY_CODES);
const BY_TILDE: Readonly<Record<string, string>> = {
  ...invertTable(TILDE_KEYS),
  1: 'home',
  4: 'end',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
};

/** Keypad keys, which some terminals report separately, map to the normal keys. */
const KEYPAD =
  '0 1 2 3 4 5 6 7 8 9 . / * - + enter = , left right up down page-up page-down home end insert delete'.split(
    ' ',
  );
const KEYPAD_BEGIN = 57_399;

/** Parses the bytes a terminal sent for one key; `null` for anything else, such as an answer or longer text. */
export function readKey(raw: string): TerminalKey | null {
  if (raw.startsWith('\x1b[')) return raw === '\x1b[' ? readAltKey('[') : readSequence(raw);
  if (raw.length === 3 && raw.startsWith('\x1bO')) {
    const name = BY_LETTER[raw.slice(2)];
    return name === undefined ? null : createKey(name);
  }
  if (raw.startsWith('\x1b') && raw.length > 1) return readAltKey(raw.slice(1));
  return [...raw].length === 1 ? readCharacter(raw) : null;
}

function readAltKey(rest: string): TerminalKey | null {
  const key = [...rest].length === 1 ? readCharacter(rest) : null;
  return key === null ? null : { ...key, modifiers: key.modifiers | MODIFIERS.alt, text: '' };
}

function readCharacter(character: string): TerminalKey {
  const code = character.codePointAt(0) ?? 0;
  if (code === 8) return createKey('backspace', { modifiers: MODIFIERS.ctrl });
  const name = BY_CODE[code];
  if (name !== undefined) return createKey(name);
  if (code < 32) {
    const held = code === 0 ? 'space' : String.fromCharCode(code + (code <= 26 ? 96 : 64));
    return createKey(held, { modifiers: MODIFIERS.ctrl });
  }
  const lower = character.toLowerCase();
  const isShifted = lower !== character && [...lower].length === 1;
  return createKey(isShifted ? lower : character, {
    modifiers: isShifted ? MODIFIERS.shift : 0,
    text: character,
  });
}

const KEY_EVENTS = ['press', 'press', 'repeat', 'release'] as const;

function readSequence(raw: string): TerminalKey | null {
  const [, first = '', second = '', third = '', final = ''] = SEQUENCE.exec(raw) ?? [];
  if (final === 'Z') return createKey('tab', { modifiers: MODIFIERS.shift });
  const [bits = '', event = ''] = second.split(':');
  const facts = {
    modifiers: Math.max(0, Number(bits || 1) - 1),
    event: KEY_EVENTS[Number(event)] ?? ('press' as const),
  };
  // modifyOtherKeys: 27, modifiers, code.
  if (final === '~' && first === '27') return readCode(third, '', facts);
  if (final === 'u') return readCode(first, third, facts);
  const name = final === '~' ? BY_TILDE[first] : BY_LETTER[final];
  return name === undefined ? null : createKey(name, facts);
}

function readCode(codes: string, written: string, facts: Partial<TerminalKey>): TerminalKey | null {
  const [code = 0, shifted = 0, standard = 0] = codes.split(':').map(Number);
  if (code <= 0 || code > 0x10ffff) return null;
  const text =
    written === '' ? '' : String.fromCodePoint(...written.split(':').map(Number).filter(isKeyCode));
  const more = { ...facts, text, shifted: shifted || null, standard: standard || null };
  const name = BY_CODE[code] ?? KEYPAD[code - KEYPAD_BEGIN];
  if (name !== undefined) return createKey(name, more);
  // Private use code points are keys without a character.
  return createKey(code >= 0xe000 && code <= 0xf8ff ? `key-${code}` : String.fromCodePoint(code), more);
}

function isKeyCode(code: number): boolean {
  return code > 0 && code <= 0x10ffff;
}

function invertTable(table: Readonly<Record<string, string | number>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(table).map(([name, sign]) => [sign, name]));
}
