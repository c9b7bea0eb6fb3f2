import { join } from 'node:path';
import { RUN_FILES } from '../../run/files.ts';
import type { RunRequest } from '../../run/request.ts';
import {
  LEAVE,
  needsPreamble,
  PREAMBLE_FILE,
  renderGround,
  renderOwn,
  shownLevel,
} from '../../run/supervise/preamble.ts';
import type { ReadyGround } from '../../run/supervise/spec.ts';
import { quote } from '../../text/quote.ts';
import { renderExport } from '../state/render-state.ts';
import { isPlainLine } from './plain-line.ts';

/** A pipe takes this much in one piece, whoever is not yet reading. */
const MAX_TEXT_BYTES = 60 * 1024;

/** Variables that bash reads only when it starts, or that are its own. */
const OWN_VARIABLE =
  /^(?:_|BASH.*|COMP_.*|DIRSTACK|EPOCH.*|EUID|EXECIGNORE|FUNCNAME|FUNCNEST|GLIBC_TUNABLES|GLOBIGNORE|GROUPS|HIST.*|IFS|IGNOREEOF|LD_.*|LINENO|MALLOC_.*|NACRE_RUN_ID|nacre_.*|OPT.*|PIPESTATUS|POSIX.*|PPID|PS[0-9]|PWD|RANDOM|READLINE_.*|SECONDS|SHELLOPTS|SHLVL|SRANDOM|TMOUT|UID)$/;

/** Where a shell that waits says why it could not do what it was told: its supervisor's directory is the run's. */
const FAILED = `"/proc/$PPID/cwd/failed"`;

/**
 * What bash reads when it is started ahead (`bash -O expand_aliases -c __X`, with this as its `BASH_ENV`).
 *
 * The last thing it does is to wait for its text: what can be done before is done before. Then `__X`, an alias by now, is read in the place of the command: that keeps
 * the true `-c` path, with all that bash does there and nowhere else.
 */
export function renderWaiter(ground: ReadyGround, name: string | null): string {
  return `exec 4<&-
builtin shopt -u expand_aliases
${renderGround(ground)}__nacre_last=bash
${name === null ? '' : `BASH=${quote(name)}\nbuiltin export -n BASH\n`}__nacre_form=never
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
  *) builtin printf 'never\\n' >${FAILED}; builtin exit 126 ;;
esac
builtin unset -v __nacre_form __nacre_line
case $__nacre_flags in
  *[xv]*)
    builtin shopt -s expand_aliases
    ${LEAVE}
    ;;
  *)
    builtin unset -v __nacre_last __nacre_flags __nacre_aliases __nacre_exports
    builtin shopt -s expand_aliases
    ;;
esac
`;
}

/** What a shell that waits is sent for one call. */
export interface Rendered {
  readonly text: string;
  /** Whether it finds files in the run's own place. */
  readonly needsPlace: boolean;
  /** Whether the command is read by a bash that takes the place of the one that waited, and needs its preamble as a file. */
  readonly hasPreambleFile: boolean;
}

/** Where it is sent to. */
export interface TextPlace {
  readonly ground: ReadyGround;
  /** The run's. */
  readonly directory: string;
  /** Whether the shell waits in the very directory that the command is to begin in. */
  readonly isHome: boolean;
}

/** `null`: the shell cannot serve it. */
export function renderText(request: RunRequest, place: TextPlace): Rendered | null {
  const { ground, directory } = place;
  const exports = renderExports(request.env, ground.env);
  if (exports === null) return null;
  const hasText = request.input.kind === 'text';
  const input = hasText ? `exec <${quote(join(directory, RUN_FILES.stdin))}\n` : '';
  const before = `exec 3<&-\n${renderDirectory(request, place)}${exports}${input}`;
  const isLine = isPlainLine(request.command);
  const hasPreambleFile = !isLine && needsPreamble(request);
  const text = isLine
    ? `${before}${renderOwn(request, directory)}SECONDS=0 BASH_EXECUTION_STRING=${quote(request.command)} __nacre_form=line\n`
    : renderStart(request, { before, directory });
  if (text === null || Buffer.byteLength(text) > MAX_TEXT_BYTES) return null;
  return { text, hasPreambleFile, needsPlace: hasText || hasPreambleFile || request.pipeStatus };
}

/** Where it begins, and where it was before. */
function renderDirectory({ cwd, env }: RunRequest, { ground, isHome }: TextPlace): string {
  if (isHome && env.OLDPWD === ground.env.OLDPWD) return '';
  const enter = `builtin cd -- ${quote(cwd)} 2>/dev/null || { builtin printf 'cwd\\n' >${FAILED}; builtin exit 126; }\n`;
  return `${enter}${renderOldDirectory(env)}`;
}

/** Everything else is read by a bash of its own, which takes the place of the one that waited: no fork, and no difference. */
function renderStart(
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
    ? `builtin export BASH_ENV=${quote(join(directory, PREAMBLE_FILE))}\n${level === null ? '' : 'SHLVL=2\n'}`
    : '';
  return `${FORGET}${before}${preamble}exec -a bash ${quote(request.shell)} -c ${quote(request.command)}\n`;
}

/**
 * What the ground exports is for commands, not for the start of a bash: a locale that is not there would be told of, a library
 * that is not there too. And a session that exports all that is assigned (`set -a`) would hand our own names over.
 */
const FORGET = `[[ -z \${__nacre_exports-} ]] || builtin export -n -- "\${__nacre_exports[@]}"
builtin unset -v __nacre_form __nacre_line __nacre_last __nacre_flags __nacre_aliases __nacre_exports
`;

/** As bash has it at its start: there when it was given, else known and without a value. */
function renderOldDirectory({ OLDPWD }: RunRequest['env']): string {
  return OLDPWD === undefined
    ? 'builtin unset -v OLDPWD\nbuiltin export OLDPWD\n'
    : `builtin export OLDPWD=${quote(OLDPWD)}\n`;
}

/** The variables that this call has more than the shell was started with; `null` when they cannot be brought there. */
function renderExports(env: RunRequest['env'], base: RunRequest['env']): string | null {
  if (env === base) return '';
  let text = '';
  for (const name of Object.keys(base)) if (!Object.hasOwn(env, name) && name !== 'OLDPWD') return null;
  for (const [name, value] of Object.entries(env)) {
    if (value === base[name] || name === 'OLDPWD') continue;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || OWN_VARIABLE.test(name)) return null;
    text += `${renderExport(name, value)}\n`;
  }
  return text;
}
