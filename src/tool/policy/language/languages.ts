import { ownValue } from '../../../engine/text/own-value.ts';
/** How a language takes a program as an argument. */
export interface Language {
  /** Options whose value is a program. */
  readonly code: readonly string[];
  /** Other short options that take a value. */
  readonly short?: string;
  /** The first operand is a program: `awk`. */
  readonly operand?: true;
  /** The first operand must be this: `deno eval`. */
  readonly verb?: string;
}

const PYTHON: Language = { code: ['c'], short: 'mWXQ' };
const NODE: Language = { code: ['e', 'p', 'pe', 'eval', 'print'], short: 'rC' };
const AWK: Language = { code: ['e'], short: 'Fvf', operand: true };

const LANGUAGES: Readonly<Record<string, Language>> = {
  python: PYTHON,
  python2: PYTHON,
  python3: PYTHON,
  pypy: PYTHON,
  pypy3: PYTHON,
  perl: { code: ['e', 'E'], short: 'IMm' },
  ruby: { code: ['e'], short: 'IrCE' },
  node: NODE,
  nodejs: NODE,
  tsx: NODE,
  bun: { code: ['e', 'p', 'eval', 'print'] },
  deno: { code: [], operand: true, verb: 'eval' },
  php: { code: ['r'], short: 'dfcS' },
  lua: { code: ['e'], short: 'l' },
  tclsh: { code: [] },
  Rscript: { code: ['e'] },
  osascript: { code: ['e'], short: 'l' },
  awk: AWK,
  gawk: AWK,
  mawk: { ...AWK, code: [], short: 'FvfW' },
  nawk: { ...AWK, code: [] },
};

export const LANGUAGE_NAMES: readonly string[] = [...Object.keys(LANGUAGES)];

/** `python3.12` is `python3`. */
export function languageOf(name: string): Language | undefined {
  return ownValue(LANGUAGES, name) ?? (/^python[23]?\.\d+$/.test(name) ? PYTHON : undefined);
}
