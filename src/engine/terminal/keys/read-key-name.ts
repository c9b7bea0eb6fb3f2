import { CODES, HELD, LETTERS, type TerminalKey, TILDES, toKey } from './terminal-key.ts';

const MODIFIER = /^(ctrl|alt|shift|super)-(?=.)/i;

/** Names a list can show. */
export const TERMINAL_KEY_NAMES: readonly string[] = [
  ...[CODES, TILDES, LETTERS].flatMap((table) => Object.keys(table)).filter((name) => !/^f\d/.test(name)),
  'f1 to f12',
  'every single character',
  'and each of them with ctrl-, alt- or shift- before it',
];

/** A key by its name, `ctrl-shift-up`; `null` for a name that is none. Upper and lower case are one, but for single characters. */
export function readKeyName(name: string): TerminalKey | null {
  let rest = name;
  let modifiers = 0;
  for (let found = MODIFIER.exec(rest); found !== null; found = MODIFIER.exec(rest)) {
    modifiers |= HELD[(found[1] ?? '').toLowerCase() as keyof typeof HELD];
    rest = rest.slice(found[0].length);
  }
  const lower = rest.toLowerCase();
  if ([CODES, TILDES, LETTERS].some((table) => Object.hasOwn(table, lower)))
    return toKey(lower, { modifiers });
  if ([...rest].length !== 1 || /[\x00-\x20\x7f]/.test(rest)) return null;
  // `ctrl-C` is ctrl-c; `alt-B` is what alt and a capital letter give.
  const isCapital = lower !== rest && (modifiers & HELD.ctrl) === 0;
  return toKey(lower, { modifiers: modifiers | (isCapital ? HELD.shift : 0) });
}
