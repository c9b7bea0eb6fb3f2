import type { KeyModes } from '../../engine/terminal/screen.ts';

/** Keys that depend on how the program wants them: the letter after `ESC [` or `ESC O`. */
const CURSOR: Readonly<Record<string, string>> = {
  up: 'A',
  down: 'B',
  right: 'C',
  left: 'D',
  home: 'H',
  end: 'F',
};

const PLAIN: Readonly<Record<string, string>> = {
  enter: '\r',
  tab: '\t',
  'shift-tab': '\x1b[Z',
  space: ' ',
  escape: '\x1b',
  backspace: '\x7f',
  insert: '\x1b[2~',
  delete: '\x1b[3~',
  'page-up': '\x1b[5~',
  'page-down': '\x1b[6~',
  f1: '\x1bOP',
  f2: '\x1bOQ',
  f3: '\x1bOR',
  f4: '\x1bOS',
  f5: '\x1b[15~',
  f6: '\x1b[17~',
  f7: '\x1b[18~',
  f8: '\x1b[19~',
  f9: '\x1b[20~',
  f10: '\x1b[21~',
  f11: '\x1b[23~',
  f12: '\x1b[24~',
};

const CONTROL_CHARACTERS: Readonly<Record<string, string>> = {
  '@': '\x00',
  space: '\x00',
  '[': '\x1b',
  '\\': '\x1c',
  ']': '\x1d',
  '^': '\x1e',
  _: '\x1f',
};

/** Names a list can show. */
export const TERMINAL_KEY_NAMES: readonly string[] = [
  ...Object.keys(PLAIN),
  ...Object.keys(CURSOR),
  'ctrl-<letter>',
  'alt-<character>',
];

/** What a terminal sends for a key; `null` for a name that is none. Upper and lower case are one, but not after `alt-`. */
export function toTerminalBytes(name: string, modes: KeyModes): string | null {
  const key = name.toLowerCase();
  if (Object.hasOwn(PLAIN, key)) return PLAIN[key] ?? null;
  if (Object.hasOwn(CURSOR, key)) return `\x1b${modes.applicationCursor ? 'O' : '['}${CURSOR[key]}`;
  const [, control] = /^ctrl-(.+)$/.exec(key) ?? [];
  if (control !== undefined) return toControl(control);
  const [, character] = /^alt-(.)$/su.exec(name.replace(/^alt-/i, 'alt-')) ?? [];
  return character === undefined ? null : `\x1b${character}`;
}

function toControl(key: string): string | null {
  if (/^[a-z]$/.test(key)) return String.fromCharCode(key.charCodeAt(0) - 96);
  return CONTROL_CHARACTERS[key] ?? null;
}

/** Text as it is typed: on a terminal a line ends with the key enter. */
export function toTyped(text: string): string {
  return text.replace(/\r?\n/g, '\r');
}
