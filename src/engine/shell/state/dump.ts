import { quote } from '../../text/quote.ts';

/** What is written down of a shell: functions cost the most, and most commands define none. */
export interface DumpRequest {
  readonly file: string;
  readonly functions: boolean;
}

/** What a dump ends with: one without it was not finished. */
export const DUMP_END = 'nacre-end';

/** Shell text that writes down what a shell is, before its command. Builtins only: nothing is forked. */
export function renderDump({ file, functions }: DumpRequest): string {
  const to = `2>/dev/null >|${quote(file)}`;
  const body = (parts: readonly string[]): string => `{ ${[...parts, END].join('; ')}; } ${to}`;
  if (!functions) return body([...COMMON, NUL]);
  const names = `builtin declare -F ${to}; builtin mapfile -t __nacre_names 2>/dev/null <${quote(file)}`;
  return `${names}; ${body([...COMMON, ...FUNCTIONS])}; builtin unset -v __nacre_names __nacre_name`;
}

/**
 * The same for the end of a shell. It must go on whatever the command has set, and a limit on file sizes must not
 * kill the shell now that it is over.
 */
export function renderLastDump(request: DumpRequest): string {
  return `{ builtin set +eu; builtin trap - DEBUG ERR RETURN; builtin trap '' XFSZ; } 2>/dev/null; ${renderWantedDump(request)}`;
}

/** Whoever does not wait for it any more has taken its file away. */
export function renderWantedDump(request: DumpRequest): string {
  return `if [[ -f ${quote(request.file)} ]]; then ${renderDump(request)}; fi`;
}

const NUL = "builtin printf '\\0'";

/** Each part ends with a NUL, which nothing in a shell can hold. `BASHOPTS` is not always what `shopt` says. */
const COMMON: readonly string[] = [
  `builtin printf '%s\\0' "$PWD" "\${OLDPWD-}" "$SHELLOPTS"`,
  `builtin printf '%s ' "\${FUNCNAME[@]-}"`,
  NUL,
  ...['shopt -s', 'umask', 'dirs -l -p', 'alias -p', 'local -p', 'declare -p'].flatMap((list) => [
    `builtin ${list}`,
    NUL,
  ]),
];

/**
 * Each function apart: the text of one can look like the beginning of another. And by its number: bash splits quoted lists
 * where `IFS` has a certain control character.
 */
const FUNCTIONS: readonly string[] = [
  'builtin declare -F',
  NUL,
  'for ((__nacre_name = 0; __nacre_name < ${#__nacre_names[@]}; __nacre_name++)); do builtin declare -f -- "${__nacre_names[__nacre_name]#declare -* }"',
  `${NUL}; done`,
];

const END = `builtin printf '${DUMP_END}\\0'`;
