import { shellQuote } from '../text/shell-quote.ts';
import type { ShellFunction } from './shell-state.ts';

/** What is written down of a shell: functions cost the most, and most commands define none. */
export interface DumpRequest {
  readonly file: string;
  readonly functions: boolean;
}

/** What a dump ends with: one without it was not finished. */
export const DUMP_END = 'nacre-end';

/** Shell text that writes down what a shell is, before its command. Builtins only: nothing is forked. */
export function renderShellDump({ file, functions }: DumpRequest): string {
  const to = `2>/dev/null >|${shellQuote(file)}`;
  const body = (parts: readonly string[]): string => `{ ${[...parts, PRINT_END].join('; ')}; } ${to}`;
  if (!functions) return body([...COMMON_PARTS, PRINT_NUL]);
  const names = `builtin declare -F ${to}; builtin mapfile -t __nacre_names 2>/dev/null <${shellQuote(file)}`;
  return `${names}; ${body([...COMMON_PARTS, ...FUNCTION_PARTS])}; builtin unset -v __nacre_names __nacre_name`;
}

/**
 * The same for the end of a shell. It must go on whatever the command has set, and a limit on file sizes must not
 * kill the shell now that it is over.
 */
export function renderExitDump(request: DumpRequest): string {
  return `{ builtin set +eu; builtin trap - DEBUG ERR RETURN; builtin trap '' XFSZ; } 2>/dev/null; ${renderDumpIfWanted(request)}`;
}

/** Whoever does not wait for it any more has taken its file away. */
export function renderDumpIfWanted(request: DumpRequest): string {
  return `if [[ -f ${shellQuote(request.file)} ]]; then ${renderShellDump(request)}; fi`;
}

const PRINT_NUL = "builtin printf '\\0'";

/** Each part ends with a NUL, which nothing in a shell can hold. `BASHOPTS` is not always what `shopt` says. */
const COMMON_PARTS: readonly string[] = [
  `builtin printf '%s\\0' "$PWD" "\${OLDPWD-}" "$SHELLOPTS"`,
  `builtin printf '%s ' "\${FUNCNAME[@]-}"`,
  PRINT_NUL,
  ...['shopt -s', 'umask', 'dirs -l -p', 'alias -p', 'local -p', 'declare -p'].flatMap((list) => [
    `builtin ${list}`,
    PRINT_NUL,
  ]),
];

/**
 * Each function apart: the text of one can look like the beginning of another. And by its number: bash splits quoted lists
 * where `IFS` has a certain control character.
 */
const FUNCTION_PARTS: readonly string[] = [
  'builtin declare -F',
  PRINT_NUL,
  'for ((__nacre_name = 0; __nacre_name < ${#__nacre_names[@]}; __nacre_name++)); do builtin declare -f -- "${__nacre_names[__nacre_name]#declare -* }"',
  `${PRINT_NUL}; done`,
];

const PRINT_END = `builtin printf '${DUMP_END}\\0'`;

/** A shell as it was at one moment. */
export interface ShellDump {
  readonly cwd: string;
  readonly oldCwd: string;
  readonly shopt: ReadonlySet<string>;
  readonly set: ReadonlySet<string>;
  /** The functions that had been entered and not left, the innermost first. */
  readonly entered: readonly string[];
  readonly umask: string;
  readonly stack: readonly string[];
  readonly aliases: ReadonlyMap<string, string>;
  /** The names that belong to the innermost function. */
  readonly locals: ReadonlySet<string>;
  readonly variables: ReadonlyMap<string, string>;
  /** `null` when they were not asked for. */
  readonly functions: ReadonlyMap<string, ShellFunction> | null;
}

/** `null` for one that is not there or was not finished. */
export function parseShellDump(text: string): ShellDump | null {
  const parts = text.split('\0');
  if (parts.length < 12 || parts.at(-2) !== DUMP_END) return null;
  const [cwd = '', oldCwd = '', set = '', entered = '', shopt = '', umask = '', dirs = '', ...rest] = parts;
  const [aliases = '', locals = '', variables = '', declared = '', ...texts] = rest;
  const found = parseVariableDeclarations(variables);
  // Aliases that the ground brought are switched on right after the first look.
  const isOn = found.get('__nacre_aliases') === 'declare -- __nacre_aliases="1"';
  return {
    cwd: toPath(cwd),
    oldCwd: toPath(oldCwd),
    shopt: new Set([...(shopt.match(/^\w+/gm) ?? []), ...(isOn ? ['expand_aliases'] : [])]),
    set: new Set(set.split(':')),
    entered: entered.split(' ').filter((name) => name !== ''),
    umask: umask.trim(),
    stack: dirs.split('\n').slice(1, -1),
    aliases: parseAliasDeclarations(aliases),
    locals: new Set(parseVariableDeclarations(locals).keys()),
    variables: found,
    functions: declared === '' ? null : functionsIn(declared, texts),
  };
}

/** Where Node is to go: unlike all else here it is text. */
function toPath(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** `declared` has a line for each text, in the same order. */
function functionsIn(declared: string, texts: readonly string[]): Map<string, ShellFunction> {
  const found = new Map<string, ShellFunction>();
  const lines = declared.split('\n').filter((line) => line !== '');
  lines.forEach((declaration, at) => {
    const name = declaration.replace(/^declare -\S+ /, '');
    const text = texts[at];
    if (text !== undefined && text !== DUMP_END) found.set(name, { text, declaration });
  });
  return found;
}

/** One entry of a list that bash printed. It ends at a newline that is not within quotes of one of the three kinds. */
const DECLARATION_ENTRY =
  /((?:[^"'\\\n$]+|\\[\s\S]|\$'[^'\\]*(?:\\[\s\S][^'\\]*)*'|'[^']*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|\$)*)\n/g;

/** Splits what `declare -p` or `alias -p` printed. */
function splitDeclarations(text: string): string[] {
  return [...text.matchAll(DECLARATION_ENTRY)].map(([, entry = '']) => entry);
}

/** The variables in what `declare -p` or `local -p` printed, by name. */
export function parseVariableDeclarations(text: string): Map<string, string> {
  return byName(text, /^declare -\S+ ([A-Za-z_]\w*)(?:=|$)/);
}

/** The aliases in what `alias -p` printed, by name. */
export function parseAliasDeclarations(text: string): Map<string, string> {
  return byName(text, /^alias (?:-- )?([^=]+)=/);
}

function byName(text: string, pattern: RegExp): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of splitDeclarations(text)) {
    const name = pattern.exec(entry)?.[1];
    if (name !== undefined) found.set(name, entry);
  }
  return found;
}
