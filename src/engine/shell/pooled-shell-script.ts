import { join } from 'node:path';
import {
  needsPreamble,
  PREAMBLE_FILE,
  RESTORE_SHELL_FLAGS,
  renderBasePreamble,
  renderCallSetup,
  shownLevel,
} from '../run/command-preamble.ts';
import { RUN_FILES } from '../run/run-files.ts';
import type { RunRequest } from '../run/run-request.ts';
import type { WarmShellConfig } from '../run/supervisor-spec.ts';
import { shellQuote } from '../text/shell-quote.ts';
import { renderExport } from './shell-state.ts';

/** A pipe accepts this much in one write without a reader. */
const MAX_TEXT_BYTES = 60 * 1024;

/** Variables that bash reads only at startup or sets itself. */
const SHELL_OWNED_VARIABLE =
  /^(?:_|BASH.*|COMP_.*|DIRSTACK|EPOCH.*|EUID|EXECIGNORE|FUNCNAME|FUNCNEST|GLIBC_TUNABLES|GLOBIGNORE|GROUPS|HIST.*|IFS|IGNOREEOF|LD_.*|LINENO|MALLOC_.*|NACRE_RUN_ID|nacre_.*|OPT.*|PIPESTATUS|POSIX.*|PPID|PS[0-9]|PWD|RANDOM|READLINE_.*|SECONDS|SHELLOPTS|SHLVL|SRANDOM|TMOUT|UID)$/;

/** Where a warm shell reports a failure: the run directory is the working directory of its supervisor. */
const FAILED_FILE = `"/proc/$PPID/cwd/failed"`;

/**
 * Renders the startup script of a warm shell (`bash -O expand_aliases -c __X`, with this script as `BASH_ENV`).
 *
 * The script does all preparation and then waits for the call script. After that bash reads `__X`, an alias of
 * the command by then, so that the command runs on the regular `-c` path of bash.
 */
export function renderWarmShellScript(config: WarmShellConfig, name: string | null): string {
  return `exec 4<&-
builtin shopt -u expand_aliases
${renderBasePreamble(config)}__nacre_last=bash
${name === null ? '' : `BASH=${shellQuote(name)}\nbuiltin export -n BASH\n`}__nacre_form=never
__nacre_line='builtin unalias __X; builtin shopt -u expand_aliases; builtin : bash; '
if [[ \${__nacre_aliases-} == 1 ]] || builtin shopt -q expand_aliases; then __nacre_line='builtin unalias __X; builtin : bash; '; fi
builtin printf 'waiting\\n' >&5
exec 5>&-
builtin . /dev/fd/3
case $__nacre_form in
  line)
    builtin alias "__X=$__nacre_line$BASH_EXECUTION_STRING"
    case $- in *a*) builtin export -n SECONDS BASH_EXECUTION_STRING ;; esac
    ;;
  *) builtin printf 'never\\n' >${FAILED_FILE}; builtin exit 126 ;;
esac
builtin unset -v __nacre_form __nacre_line
case $__nacre_flags in
  *[xv]*)
    builtin shopt -s expand_aliases
    ${RESTORE_SHELL_FLAGS}
    ;;
  *)
    builtin unset -v __nacre_last __nacre_flags __nacre_aliases __nacre_exports
    builtin shopt -s expand_aliases
    ;;
esac
`;
}

/** The script of one call for a warm shell. */
export interface RenderedCall {
  readonly text: string;
  /** Whether the script refers to files in the final run directory. */
  readonly needsRunDirectory: boolean;
  /** Whether the warm shell is replaced by a new bash that reads the preamble from a file. */
  readonly hasPreambleFile: boolean;
}

/** The warm shell that a call script is rendered for. */
interface CallTarget {
  readonly config: WarmShellConfig;
  /** The run directory. */
  readonly directory: string;
  /** Whether the warm shell is already in the command's working directory. */
  readonly isHome: boolean;
}

/** Renders the script of one call; `null` if the warm shell cannot run it. */
export function renderCallScript(request: RunRequest, target: CallTarget): RenderedCall | null {
  const { config, directory } = target;
  const exports = renderCallExports(request.env, config.env);
  if (exports === null) return null;
  const hasText = request.input.kind === 'text';
  const input = hasText ? `exec <${shellQuote(join(directory, RUN_FILES.stdin))}\n` : '';
  const before = `exec 3<&-\n${renderDirectory(request, target)}${exports}${input}`;
  const isLine = isSimpleCommandLine(request.command);
  const hasPreambleFile = !isLine && needsPreamble(request);
  const text = isLine
    ? `${before}${renderCallSetup(request, directory)}SECONDS=0 BASH_EXECUTION_STRING=${shellQuote(request.command)} __nacre_form=line\n`
    : renderExecScript(request, { before, directory });
  if (text === null || Buffer.byteLength(text) > MAX_TEXT_BYTES) return null;
  return { text, hasPreambleFile, needsRunDirectory: hasText || hasPreambleFile || request.pipeStatus };
}

/** Changes the directory and sets OLDPWD. */
function renderDirectory({ cwd, env }: RunRequest, { config, isHome }: CallTarget): string {
  if (isHome && env.OLDPWD === config.env.OLDPWD) return '';
  const enter = `builtin cd -- ${shellQuote(cwd)} 2>/dev/null || { builtin printf 'cwd\\n' >${FAILED_FILE}; builtin exit 126; }\n`;
  return `${enter}${renderOldDirectory(env)}`;
}

/** Replaces the warm shell with a new bash, for commands that are not a simple line. */
function renderExecScript(
  request: RunRequest,
  { before, directory }: { before: string; directory: string },
): string | null {
  // The warm shell has already read the user's BASH_ENV file, which must not be read twice.
  if (request.env.BASH_ENV !== undefined) return null;
  const level = shownLevel(request.env.SHLVL);
  const hasPreamble = needsPreamble(request);
  // `exec` decrements SHLVL, but not below 0, so the new bash cannot show level 0.
  if (level === 0 && !hasPreamble) return null;
  const preamble = hasPreamble
    ? `builtin export BASH_ENV=${shellQuote(join(directory, PREAMBLE_FILE))}\n${level === null ? '' : 'SHLVL=2\n'}`
    : '';
  return `${UNSET_HELPER_VARIABLES}${before}${preamble}exec -a bash ${shellQuote(request.shell)} -c ${shellQuote(request.command)}\n`;
}

/**
 * Exports of the base environment must not affect the startup of the new bash (a missing locale or library
 * would print warnings). With `set -a` the helper variables would be exported too.
 */
const UNSET_HELPER_VARIABLES = `[[ -z \${__nacre_exports-} ]] || builtin export -n -- "\${__nacre_exports[@]}"
builtin unset -v __nacre_form __nacre_line __nacre_last __nacre_flags __nacre_aliases __nacre_exports
`;

/** As bash does at startup: OLDPWD is exported, without a value if it was not given. */
function renderOldDirectory({ OLDPWD }: RunRequest['env']): string {
  return OLDPWD === undefined
    ? 'builtin unset -v OLDPWD\nbuiltin export OLDPWD\n'
    : `builtin export OLDPWD=${shellQuote(OLDPWD)}\n`;
}

/** Exports the variables of the call that the warm shell does not have; `null` if that is impossible. */
function renderCallExports(env: RunRequest['env'], base: RunRequest['env']): string | null {
  if (env === base) return '';
  let text = '';
  for (const name of Object.keys(base)) if (!Object.hasOwn(env, name) && name !== 'OLDPWD') return null;
  for (const [name, value] of Object.entries(env)) {
    if (value === base[name] || name === 'OLDPWD') continue;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || SHELL_OWNED_VARIABLE.test(name)) return null;
    text += `${renderExport(name, value)}\n`;
  }
  return text;
}

/** Longer commands are not checked. */
const MAX_LENGTH = 8_192;

const BARE = '[^\\s\'"\\\\`$(){}<>|&;!\\x00-\\x1f\\x7f]';
const ESCAPED = '\\\\[\\x20-\\x7e]';
const VARIABLE = '\\$(?:[A-Za-z][A-Za-z0-9_]*|\\{[A-Za-z][A-Za-z0-9_]*\\}|[0-9?$#@*])';
const SINGLE = "'[^'\\x00-\\x08\\x0a-\\x1f\\x7f]*'";
const DOUBLE = `"(?:[^"\\\\\`$\\x00-\\x08\\x0a-\\x1f\\x7f]|${ESCAPED}|${VARIABLE})*"`;
const WORD = `(?!#)(?:${BARE}|${ESCAPED}|${VARIABLE}|${SINGLE}|${DOUBLE})+`;
const REDIRECTION = `(?:[0-9]*(?:>>|>\\||[<>]&|<>|[<>])|&>>?)[ \\t]*(?![0-9]+[<>])${WORD}`;

/** Blanks, a redirection, an operator, or a word. */
const TOKEN = new RegExp(`[ \\t]+|(${REDIRECTION})|(&&|\\|\\||\\|&?|;(?!&)|&)|(${WORD})`, 'gy');

/** Reserved words at the start of a command. */
const LEADING_KEYWORDS = new Set(
  '[[ ]] case coproc do done elif else esac exec fi for function if in select then time until while'.split(
    ' ',
  ),
);
/** Commands that print the whole shell, including helper variables. */
const INTROSPECTION_COMMANDS = new Set('caller compgen declare set typeset'.split(' '));

/**
 * Whether a command is a single line that bash parses without errors: simple commands with quotes, variables
 * and redirections, joined by `&&`, `||`, `|`, `;` and `&`.
 *
 * Other commands are not wrong; they are passed to a new bash.
 */
export function isSimpleCommandLine(command: string): boolean {
  // A leading dash or plus would be an option of bash.
  if (command.length > MAX_LENGTH || /^[-+]/.test(command)) return false;
  let state: LineState = 'required';
  let end = 0;
  for (const found of command.matchAll(TOKEN)) {
    end = found.index + found[0].length;
    state = nextLineState(state, found);
  }
  return end === command.length && (state === 'empty' || state === 'command');
}

/** State of the current command: empty, non-empty, empty but required, or unsupported. */
type LineState = 'empty' | 'command' | 'required' | 'unsupported';

function nextLineState(state: LineState, [, redirection, operator, word]: RegExpExecArray): LineState {
  if (state === 'unsupported') return state;
  if (operator !== undefined) {
    if (state !== 'command') return 'unsupported';
    return operator === ';' || operator === '&' ? 'empty' : 'required';
  }
  if (redirection !== undefined) return 'command';
  if (word === undefined) return state;
  return isArrayElementAssignment(word) || (state !== 'command' && isKeywordOrIntrospection(word))
    ? 'unsupported'
    : 'command';
}

/** `name[...]=`: the subscript may contain anything up to the closing bracket. */
function isArrayElementAssignment(word: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*\[/.test(word);
}

function isKeywordOrIntrospection(word: string): boolean {
  return LEADING_KEYWORDS.has(word) || INTROSPECTION_COMMANDS.has(word);
}
