import { shellQuote } from '../text/shell-quote.ts';
import type { ShellFunction } from './shell-state.ts';

/** Where to dump a shell, and whether to include functions, which take the most time. */
interface DumpRequest {
  readonly file: string;
  readonly functions: boolean;
}

/** Last part of a complete dump. */
const DUMP_END = 'nacre-end';

/** Renders shell text that dumps the shell before its command, with builtins only and without a fork. */
export function renderShellDump({ file, functions }: DumpRequest): string {
  const to = `2>/dev/null >|${shellQuote(file)}`;
  const body = (parts: readonly string[]): string => `{ ${[...parts, PRINT_END].join('; ')}; } ${to}`;
  if (!functions) return body([...COMMON_PARTS, PRINT_NUL]);
  const names = `builtin declare -F ${to}; builtin mapfile -t __nacre_names 2>/dev/null <${shellQuote(file)}`;
  return `${names}; ${body([...COMMON_PARTS, ...FUNCTION_PARTS])}; builtin unset -v __nacre_names __nacre_name`;
}

/**
 * Renders the dump at the exit of a shell. Options, traps and a file size limit of the command must not stop
 * it.
 */
export function renderExitDump(request: DumpRequest): string {
  return `{ builtin set +eu; builtin trap - DEBUG ERR RETURN; builtin trap '' XFSZ; } 2>/dev/null; ${renderDumpIfWanted(request)}`;
}

/** Renders a dump that is skipped if its file was removed: the caller no longer waits for it. */
export function renderDumpIfWanted(request: DumpRequest): string {
  return `if [[ -f ${shellQuote(request.file)} ]]; then ${renderShellDump(request)}; fi`;
}

const PRINT_NUL = "builtin printf '\\0'";

/**
 * Each part ends with a NUL, which no shell value can contain. `shopt -s` is used because `BASHOPTS` can differ
 * from it.
 */
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
 * One part per function, because the text of one can look like the start of another. Indexed, because bash
 * splits quoted lists if `IFS` contains a certain control character.
 */
const FUNCTION_PARTS: readonly string[] = [
  'builtin declare -F',
  PRINT_NUL,
  'for ((__nacre_name = 0; __nacre_name < ${#__nacre_names[@]}; __nacre_name++)); do builtin declare -f -- "${__nacre_names[__nacre_name]#declare -* }"',
  `${PRINT_NUL}; done`,
];

const PRINT_END = `builtin printf '${DUMP_END}\\0'`;

/** The parsed dump of a shell. */
export interface ShellDump {
  readonly cwd: string;
  readonly oldCwd: string;
  readonly shopt: ReadonlySet<string>;
  readonly set: ReadonlySet<string>;
  /** Functions that were active at that moment, innermost first. */
  readonly entered: readonly string[];
  readonly umask: string;
  readonly stack: readonly string[];
  readonly aliases: ReadonlyMap<string, string>;
  /** Local variables of the innermost function. */
  readonly locals: ReadonlySet<string>;
  readonly variables: ReadonlyMap<string, string>;
  /** `null` if they were not requested. */
  readonly functions: ReadonlyMap<string, ShellFunction> | null;
}

/** Parses a dump; `null` if it is missing or incomplete. */
export function parseShellDump(text: string): ShellDump | null {
  const parts = text.split('\0');
  if (parts.length < 12 || parts.at(-2) !== DUMP_END) return null;
  const [cwd = '', oldCwd = '', set = '', entered = '', shopt = '', umask = '', dirs = '', ...rest] = parts;
  const [aliases = '', locals = '', variables = '', declared = '', ...texts] = rest;
  const found = parseVariableDeclarations(variables);
  // Aliases of the base environment are enabled right after the first dump.
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

/** Paths are used as text in Node, unlike all other parts. */
function toPath(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** `declared` has one line per text, in the same order. */
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

/** One entry of a list that bash printed, up to a newline outside of quotes. */
const DECLARATION_ENTRY =
  /((?:[^"'\\\n$]+|\\[\s\S]|\$'[^'\\]*(?:\\[\s\S][^'\\]*)*'|'[^']*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|\$)*)\n/g;

function splitDeclarations(text: string): string[] {
  return [...text.matchAll(DECLARATION_ENTRY)].map(([, entry = '']) => entry);
}

/** Parses the output of `declare -p` or `local -p` into declarations by name. */
export function parseVariableDeclarations(text: string): Map<string, string> {
  return byName(text, /^declare -\S+ ([A-Za-z_]\w*)(?:=|$)/);
}

/** Parses the output of `alias -p` into definitions by name. */
function parseAliasDeclarations(text: string): Map<string, string> {
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
