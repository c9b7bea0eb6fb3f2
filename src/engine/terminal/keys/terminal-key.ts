/** A key and what is held with it, whichever way a terminal sends that. */
export interface TerminalKey {
  /** `up`, `enter`, `f5`, …; the character of a key that writes one, lower case; `key-57441` for one without a name here. */
  readonly name: string;
  readonly modifiers: number;
  readonly event: 'press' | 'repeat' | 'release';
  /** What it writes, if anything. */
  readonly text: string;
  /** Its other characters, by code, where the terminal told them: with shift held, and in the standard layout. */
  readonly shifted: number | null;
  readonly standard: number | null;
}

/** What is held, as bits. Those above are locks. */
export const HELD = { shift: 1, alt: 2, ctrl: 4, super: 8, hyper: 16, meta: 32 } as const;
export const LOCKS: number = 64 | 128;

/** Keys that are a letter after `ESC [` or `ESC O`. */
export const LETTERS: Readonly<Record<string, string>> = {
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

/** Keys that are a number before `~`. */
export const TILDES: Readonly<Record<string, number>> = {
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

/** Keys with a code of their own that were there before there were sequences. */
export const CODES: Readonly<Record<string, number>> = {
  tab: 9,
  enter: 13,
  escape: 27,
  space: 32,
  backspace: 127,
};

export function toKey(name: string, more: Partial<TerminalKey> = {}): TerminalKey {
  return { name, modifiers: 0, event: 'press', text: '', shifted: null, standard: null, ...more };
}

/** Whether a key stands for one character. */
export function isCharacter(name: string): boolean {
  return name === 'space' || [...name].length === 1;
}

/** The character a key writes with what is held; of other keys none. */
export function textOf({ name, text, modifiers, shifted }: TerminalKey): string {
  if (text !== '' || !isCharacter(name)) return text;
  if (name === 'space') return ' ';
  if ((modifiers & HELD.shift) === 0) return name;
  return shifted === null ? name.toUpperCase() : String.fromCodePoint(shifted);
}
