/** What a key does to a command that has no terminal: bytes to read, a signal, or the end of its input. */
export type KeyEffect =
  | { readonly kind: 'bytes'; readonly bytes: string }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'end' };

/** A terminal would turn these into signals; without one we do. */
const SIGNALS: Readonly<Record<string, NodeJS.Signals>> = {
  'ctrl-c': 'SIGINT',
  'ctrl-\\': 'SIGQUIT',
  'ctrl-z': 'SIGTSTP',
};

const BYTES: Readonly<Record<string, string>> = {
  enter: '\n',
  tab: '\t',
  space: ' ',
  escape: '\x1b',
  backspace: '\x7f',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  insert: '\x1b[2~',
  delete: '\x1b[3~',
  'page-up': '\x1b[5~',
  'page-down': '\x1b[6~',
};

/** Names a list can show; `ctrl-` goes with every letter. */
export const KEY_NAMES: readonly string[] = [...Object.keys(BYTES), 'ctrl-<letter>', 'ctrl-\\'];

/** `null` for a name that is none. Upper and lower case are one. */
export function toKeyEffect(name: string): KeyEffect | null {
  const key = name.toLowerCase();
  if (key === 'ctrl-d') return { kind: 'end' };
  const signal = Object.hasOwn(SIGNALS, key) ? SIGNALS[key] : undefined;
  if (signal !== undefined) return { kind: 'signal', signal };
  const bytes = Object.hasOwn(BYTES, key) ? BYTES[key] : toControl(key);
  return bytes === undefined ? null : { kind: 'bytes', bytes };
}

function toControl(key: string): string | undefined {
  const [, letter] = /^ctrl-([a-z])$/.exec(key) ?? [];
  return letter === undefined ? undefined : String.fromCharCode(letter.charCodeAt(0) - 96);
}
