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

/** A pipe takes this much in one piece, whoever is not yet reading. */
const MAX_TEXT_BYTES = 60 * 1024;

/** Variables that bash reads only when it starts, or that are its own. */
const SHELL_OWNED_VARIABLE =
  /^(?:_|BASH.*|COMP_.*|DIRSTACK|EPOCH.*|EUID|EXECIGNORE|FUNCNAME|FUNCNEST|GLIBC_TUNABLES|GLOBIGNORE|GROUPS|HIST.*|IFS|IGNOREEOF|LD_.*|LINENO|MALLOC_.*|NACRE_RUN_ID|nacre_.*|OPT.*|PIPESTATUS|POSIX.*|PPID|PS[0-9]|PWD|RANDOM|READLINE_.*|SECONDS|SHELLOPTS|SHLVL|SRANDOM|TMOUT|UID)$/;

/** Where a shell that waits says why it could not do what it was told: its supervisor's directory is the run's. */
const FAILED_FILE = `"/proc/$PPID/cwd/failed"`;

/**
 * What bash reads when it is started ahead (`bash -O expand_aliases -c __X`, with this as its `BASH_ENV`).
 *
 * The last thing it does is to wait for its text: what can be done before is done before. Then `__X`, an alias by now, is read in the place of the command: that keeps
 * the true `-c` path, with all that bash does there and nowhere else.
 */
export function renderWarmShellScript(ground: WarmShellConfig, name: string | null): string {
  return `exec 4<&-
builtin shopt -u expand_aliases
${renderBasePreamble(ground)}__nacre_last=bash
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

/** What a shell that waits is sent for one call. */
export interface RenderedCall {
  readonly text: string;
  /** Whether it finds files in the run's own place. */
  readonly needsRunDirectory: boolean;
  /** Whether the command is read by a bash that takes the place of the one that waited, and needs its preamble as a file. */
  readonly hasPreambleFile: boolean;
}

/** Where it is sent to. */
export interface CallTarget {
  readonly config: WarmShellConfig;
  /** The run's. */
  readonly directory: string;
  /** Whether the shell waits in the very directory that the command is to begin in. */
  readonly isHome: boolean;
}

/** `null`: the shell cannot serve it. */
export function renderCallScript(request: RunRequest, place: CallTarget): RenderedCall | null {
  const { config, directory } = place;
  const exports = renderCallExports(request.env, config.env);
  if (exports === null) return null;
  const hasText = request.input.kind === 'text';
  const input = hasText ? `exec <${shellQuote(join(directory, RUN_FILES.stdin))}\n` : '';
  const before = `exec 3<&-\n${renderDirectory(request, place)}${exports}${input}`;
  const isLine = isSimpleCommandLine(request.command);
  const hasPreambleFile = !isLine && needsPreamble(request);
  const text = isLine
    ? `${before}${renderCallSetup(request, directory)}SECONDS=0 BASH_EXECUTION_STRING=${shellQuote(request.command)} __nacre_form=line\n`
    : renderExecScript(request, { before, directory });
  if (text === null || Buffer.byteLength(text) > MAX_TEXT_BYTES) return null;
  return { text, hasPreambleFile, needsRunDirectory: hasText || hasPreambleFile || request.pipeStatus };
}

/** Where it begins, and where it was before. */
function renderDirectory({ cwd, env }: RunRequest, { config, isHome }: CallTarget): string {
  if (isHome && env.OLDPWD === config.env.OLDPWD) return '';
  const enter = `builtin cd -- ${shellQuote(cwd)} 2>/dev/null || { builtin printf 'cwd\\n' >${FAILED_FILE}; builtin exit 126; }\n`;
  return `${enter}${renderOldDirectory(env)}`;
}

/** Everything else is read by a bash of its own, which takes the place of the one that waited: no fork, and no difference. */
function renderExecScript(
  request: RunRequest,
  { before, directory }: { before: string; directory: string },
): string | null {
  // The user's file has been read by the one that waited, and may not be read twice.
  if (request.env.BASH_ENV !== undefined) return null;
  const level = shownLevel(request.env.SHLVL);
  const hasPreamble = needsPreamble(request);
  // `exec` counts the level down, but never below 0: no value here makes the next bash show 0.
  if (level === 0 && !hasPreamble) return null;
  const preamble = hasPreamble
    ? `builtin export BASH_ENV=${shellQuote(join(directory, PREAMBLE_FILE))}\n${level === null ? '' : 'SHLVL=2\n'}`
    : '';
  return `${UNSET_HELPER_VARIABLES}${before}${preamble}exec -a bash ${shellQuote(request.shell)} -c ${shellQuote(request.command)}\n`;
}

/**
 * What the ground exports is for commands, not for the start of a bash: a locale that is not there would be told of, a library
 * that is not there too. And a session that exports all that is assigned (`set -a`) would hand our own names over.
 */
const UNSET_HELPER_VARIABLES = `[[ -z \${__nacre_exports-} ]] || builtin export -n -- "\${__nacre_exports[@]}"
builtin unset -v __nacre_form __nacre_line __nacre_last __nacre_flags __nacre_aliases __nacre_exports
`;

/** As bash has it at its start: there when it was given, else known and without a value. */
function renderOldDirectory({ OLDPWD }: RunRequest['env']): string {
  return OLDPWD === undefined
    ? 'builtin unset -v OLDPWD\nbuiltin export OLDPWD\n'
    : `builtin export OLDPWD=${shellQuote(OLDPWD)}\n`;
}

/** The variables that this call has more than the shell was started with; `null` when they cannot be brought there. */
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

/** Longer ones are no everyday lines. */
const MAX_LENGTH = 8_192;

const BARE = '[^\\s\'"\\\\`$(){}<>|&;!\\x00-\\x1f\\x7f]';
const ESCAPED = '\\\\[\\x20-\\x7e]';
const VARIABLE = '\\$(?:[A-Za-z][A-Za-z0-9_]*|\\{[A-Za-z][A-Za-z0-9_]*\\}|[0-9?$#@*])';
const SINGLE = "'[^'\\x00-\\x08\\x0a-\\x1f\\x7f]*'";
const DOUBLE = `"(?:[^"\\\\\`$\\x00-\\x08\\x0a-\\x1f\\x7f]|${ESCAPED}|${VARIABLE})*"`;
const WORD = `(?!#)(?:${BARE}|${ESCAPED}|${VARIABLE}|${SINGLE}|${DOUBLE})+`;
const REDIRECTION = `(?:[0-9]*(?:>>|>\\||[<>]&|<>|[<>])|&>>?)[ \\t]*(?![0-9]+[<>])${WORD}`;

/** Blanks, a redirection, what ends a command, or a word: exactly one of them stands at any place. */
const TOKEN = new RegExp(`[ \\t]+|(${REDIRECTION})|(&&|\\|\\||\\|&?|;(?!&)|&)|(${WORD})`, 'gy');

/** Words that are grammar where a command may begin. */
const LEADING_KEYWORDS = new Set(
  '[[ ]] case coproc do done elif else esac exec fi for function if in select then time until while'.split(
    ' ',
  ),
);
/** Commands that print all there is in the shell, our traces included. */
const INTROSPECTION_COMMANDS = new Set('caller compgen declare set typeset'.split(' '));

/**
 * Whether a command is one line that bash surely reads without an error: simple commands with quotes, variables and redirections, joined
 * by `&&`, `||`, `|`, `;` and `&`.
 *
 * What this small reader does not know is not wrong; it takes the way on which bash itself reads the text from its start.
 */
export function isSimpleCommandLine(command: string): boolean {
  // What begins so would be an option of bash.
  if (command.length > MAX_LENGTH || /^[-+]/.test(command)) return false;
  let state: LineState = 'more';
  let end = 0;
  for (const found of command.matchAll(TOKEN)) {
    end = found.index + found[0].length;
    state = nextLineState(state, found);
  }
  return end === command.length && (state === 'nothing' || state === 'something');
}

/** What there is of the command that is being read: nothing yet, something, nothing where there must be something. */
type LineState = 'nothing' | 'something' | 'more' | 'wrong';

function nextLineState(state: LineState, [, redirection, operator, word]: RegExpExecArray): LineState {
  if (state === 'wrong') return state;
  if (operator !== undefined) {
    if (state !== 'something') return 'wrong';
    return operator === ';' || operator === '&' ? 'nothing' : 'more';
  }
  if (redirection !== undefined) return 'something';
  if (word === undefined) return state;
  return isArrayElementAssignment(word) || (state !== 'something' && isKeywordOrIntrospection(word))
    ? 'wrong'
    : 'something';
}

/** In an assignment to an element anything may stand until its bracket is closed. */
function isArrayElementAssignment(word: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*\[/.test(word);
}

function isKeywordOrIntrospection(word: string): boolean {
  return LEADING_KEYWORDS.has(word) || INTROSPECTION_COMMANDS.has(word);
}
