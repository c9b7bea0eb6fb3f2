import { CODES, HELD, LETTERS, type TerminalKey, TILDES, toKey } from './terminal-key.ts';

const SEQUENCE = /^\x1b\[([\d:]*)(?:;([\d:]*))?(?:;([\d:]*))?([A-Za-z~])$/;

const BY_LETTER = flip(LETTERS);
const BY_CODE = flip(CODES);
const BY_TILDE: Readonly<Record<string, string>> = {
  ...flip(TILDES),
  ...{ 1: 'home', 4: 'end', 7: 'home', 8: 'end', 11: 'f1', 12: 'f2', 13: 'f3', 14: 'f4' },
};

/** The keys of the number block, which some terminals tell apart: here they are what they say. */
const KEYPAD = [
  ...Array.from({ length: 10 }, (_, digit) => String(digit)),
  ...['.', '/', '*', '-', '+', 'enter', '=', ',', 'left', 'right', 'up', 'down', 'page-up', 'page-down'],
  ...['home', 'end', 'insert', 'delete'],
];
const KEYPAD_BEGIN = 57_399;

/** The key that a terminal sent these characters for; `null` for what is none: an answer, text of more than one character. */
export function readKey(raw: string): TerminalKey | null {
  if (raw.startsWith('\x1b[')) return raw === '\x1b[' ? alt('[') : readSequence(raw);
  if (raw.length === 3 && raw.startsWith('\x1bO')) {
    const name = BY_LETTER[raw.slice(2)];
    return name === undefined ? null : toKey(name);
  }
  if (raw.startsWith('\x1b') && raw.length > 1) return alt(raw.slice(1));
  return [...raw].length === 1 ? readCharacter(raw) : null;
}

function alt(rest: string): TerminalKey | null {
  const key = [...rest].length === 1 ? readCharacter(rest) : null;
  return key === null ? null : { ...key, modifiers: key.modifiers | HELD.alt, text: '' };
}

function readCharacter(character: string): TerminalKey {
  const code = character.codePointAt(0) ?? 0;
  if (code === 8) return toKey('backspace', { modifiers: HELD.ctrl });
  const name = BY_CODE[code];
  if (name !== undefined) return toKey(name);
  if (code < 32) {
    const held = code === 0 ? 'space' : String.fromCharCode(code + (code <= 26 ? 96 : 64));
    return toKey(held, { modifiers: HELD.ctrl });
  }
  const lower = character.toLowerCase();
  const isShifted = lower !== character && [...lower].length === 1;
  return toKey(isShifted ? lower : character, { modifiers: isShifted ? HELD.shift : 0, text: character });
}

const EVENTS = ['press', 'press', 'repeat', 'release'] as const;

function readSequence(raw: string): TerminalKey | null {
  const [, first = '', second = '', third = '', final = ''] = SEQUENCE.exec(raw) ?? [];
  if (final === 'Z') return toKey('tab', { modifiers: HELD.shift });
  const [bits = '', event = ''] = second.split(':');
  const facts = {
    modifiers: Math.max(0, Number(bits || 1) - 1),
    event: EVENTS[Number(event)] ?? ('press' as const),
  };
  // How xterm tells other keys apart: 27, what is held, the code.
  if (final === '~' && first === '27') return readCode(third, '', facts);
  if (final === 'u') return readCode(first, third, facts);
  const name = final === '~' ? BY_TILDE[first] : BY_LETTER[final];
  return name === undefined ? null : toKey(name, facts);
}

function readCode(codes: string, written: string, facts: Partial<TerminalKey>): TerminalKey | null {
  const [code = 0, shifted = 0, standard = 0] = codes.split(':').map(Number);
  if (code <= 0 || code > 0x10ffff) return null;
  const text = written === '' ? '' : String.fromCodePoint(...written.split(':').map(Number).filter(isCode));
  const more = { ...facts, text, shifted: shifted || null, standard: standard || null };
  const name = BY_CODE[code] ?? KEYPAD[code - KEYPAD_BEGIN];
  if (name !== undefined) return toKey(name, more);
  // Codes of private use are keys without a character.
  return toKey(code >= 0xe000 && code <= 0xf8ff ? `key-${code}` : String.fromCodePoint(code), more);
}

function isCode(code: number): boolean {
  return code > 0 && code <= 0x10ffff;
}

function flip(table: Readonly<Record<string, string | number>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(table).map(([name, sign]) => [sign, name]));
}
