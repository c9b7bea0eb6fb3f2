/** One thing a person did at the keyboard. */
export interface Key {
  /** `enter`, `up`, `ctrl-c`, `alt-b`, …; `text` for what is typed, `paste` for what was pasted. */
  readonly name: string;
  /** What was typed or pasted; empty for the others. */
  readonly text: string;
  /** As it came. */
  readonly raw: string;
}

const FINALS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
  Z: 'shift-tab',
};

const TILDES: Readonly<Record<string, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'page-up',
  6: 'page-down',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
};

const CODES: Readonly<Record<number, string>> = {
  9: 'tab',
  13: 'enter',
  27: 'escape',
  32: 'space',
  127: 'backspace',
};

const MODIFIERS = ['shift', 'alt', 'ctrl', 'super'] as const;

/** A sequence that begins with `ESC [`: its key, or `null` for an answer of the terminal or something unknown. */
export function fromSequence(sequence: string): string | null {
  const [, numbers = '', final = ''] = /^\x1b(?:\[|O)([\d;:]*)([A-Za-z~])$/.exec(sequence) ?? [];
  const [first = '', second = '1'] = numbers.split(';');
  const [bits = '1', event = '1'] = second.split(':');
  // A key that is let go.
  if (event === '3') return null;
  if (final === 'u') return withModifiers(bits, nameOfCode(Number(first.split(':')[0])));
  if (final === '~') return withModifiers(bits, TILDES[first]);
  return withModifiers(bits, FINALS[final]);
}

function nameOfCode(code: number): string | undefined {
  return CODES[code] ?? (code > 32 && code < 0xe000 ? String.fromCodePoint(code) : undefined);
}

function withModifiers(bits: string, name: string | undefined): string | null {
  if (name === undefined) return null;
  const held = Number(bits) - 1;
  const names = MODIFIERS.filter((_, at) => (held & (1 << at)) !== 0);
  return [...names.reverse(), name].join('-');
}

/** A single control character. */
export function fromControl(code: number): string {
  if (code === 0) return 'ctrl-space';
  if (code === 8 || code === 127) return 'backspace';
  if (code === 9) return 'tab';
  if (code === 10 || code === 13) return 'enter';
  if (code === 27) return 'escape';
  return code <= 26 ? `ctrl-${String.fromCharCode(code + 96)}` : `ctrl-${'\\]^_'[code - 28] ?? '?'}`;
}
