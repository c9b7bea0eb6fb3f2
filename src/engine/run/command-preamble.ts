import { shellQuote } from '../text/shell-quote.ts';
import type { RunRequest } from './run-request.ts';

/** The fields of a request that become shell text around its command. */
export type PreambleRequest = Pick<
  RunRequest,
  'baseEnvironment' | 'preamble' | 'atExit' | 'pipeStatus' | 'env'
>;

/** Name of the preamble in the run directory. */
export const PREAMBLE_FILE = 'preamble';

/** Whether bash must read a preamble before the command. */
export function needsPreamble({ baseEnvironment, preamble, atExit, pipeStatus }: PreambleRequest): boolean {
  return baseEnvironment !== null || preamble !== '' || atExit !== '' || pipeStatus;
}

/**
 * Renders what bash reads before the command through `BASH_ENV`. The command stays as it was written, and `$_`,
 * `BASH_ENV` and tracing are as they would be without the preamble.
 */
export function renderPreamble(request: PreambleRequest, directory: string): string {
  return `${renderBasePreamble(request)}${renderCallPreamble(request, directory)}`;
}

/** Renders the part that is the same for every call with this environment; a warm shell runs it in advance. */
export function renderBasePreamble({
  baseEnvironment,
  env,
}: Pick<PreambleRequest, 'baseEnvironment' | 'env'>): string {
  const level = shownLevel(env.SHLVL);
  const lines = [
    SAVE_SHELL_FLAGS,
    ...(level === null ? [] : [`SHLVL=${level}`]),
    renderUserBashEnv(env.BASH_ENV),
  ];
  if (baseEnvironment !== null) lines.push(`builtin . ${shellQuote(baseEnvironment)} >/dev/null 2>&1`);
  return `${lines.join('\n')}\n`;
}

/** Renders the part of one call, which runs right before its command. */
export function renderCallPreamble(
  request: Omit<PreambleRequest, 'baseEnvironment' | 'env'>,
  directory: string,
): string {
  return `${renderCallSetup(request, directory)}${RESTORE_SHELL_FLAGS}\n`;
}

/** Like {@link renderCallPreamble}, without restoring what the base preamble changed. */
export function renderCallSetup(
  { preamble, atExit, pipeStatus }: Omit<PreambleRequest, 'baseEnvironment' | 'env'>,
  directory: string,
): string {
  const lines = preamble === '' ? [] : [preamble];
  if (atExit !== '' || pipeStatus)
    lines.push(`builtin trap -- ${shellQuote(renderExitTrap(atExit, pipeStatus ? directory : null))} EXIT`);
  return lines.map((line) => `${line}\n`).join('');
}

/**
 * The `SHLVL` to start a bash with that must read its preamble.
 *
 * Below 1, a bash with a socket as input or with `SSH_CLIENT` believes that rshd or sshd started it: it reads `~/.bashrc`
 * and ignores `BASH_ENV` (`run_startup_files` in `shell.c`). The preamble puts back what the command would have seen.
 */
export function startLevel(level: string | undefined): string | undefined {
  return shownLevel(level) === null ? level : '1';
}

/** What a bash shows that was started with a level below 1 (`adjust_shell_level` in `variables.c`); `null` for others. */
export function shownLevel(level = ''): number | null {
  const number = /^\s*[+-]?\d+\s*$/.test(level) ? Number(level) : 0;
  return number >= 1 ? null : Math.max(0, number + 1);
}

/** Our own lines must not be traced, and must not change `$_`. */
const SAVE_SHELL_FLAGS = '{ __nacre_last=$_ __nacre_flags=$-; builtin set +xv; } 2>/dev/null';

/**
 * `$_` is the last argument of the previous command, here its saved value. A base environment with aliases sets
 * `__nacre_aliases`; aliases are enabled after the last of our own lines was read.
 */
export const RESTORE_SHELL_FLAGS = `__nacre_leave() {
  case \${__nacre_aliases-} in 1) builtin shopt -s expand_aliases ;; esac
  builtin unset -v __nacre_last __nacre_flags __nacre_aliases __nacre_exports
  builtin unset -f __nacre_leave
  case $1 in *v*) builtin set -v ;; esac
  case $1 in *x*) builtin set -x ;; esac
}
__nacre_leave "$__nacre_flags" "$__nacre_last"`;

/** Restores the user's `BASH_ENV` and sources it, traced if the user asked for tracing. */
function renderUserBashEnv(bashEnv: string | undefined): string {
  if (bashEnv === undefined) return 'builtin unset BASH_ENV';
  // As bash does: the value is expanded as in double quotes, and a missing file is ignored.
  const expanded = `"${bashEnv.replaceAll('"', '\\"')}"`;
  return `BASH_ENV=${shellQuote(bashEnv)}
builtin eval ${shellQuote(`__nacre_file=${expanded}`)}
case $__nacre_flags in *v*) builtin set -v ;; esac
case $__nacre_flags in *x*) builtin set -x ;; esac
[[ ! -r $__nacre_file ]] || . "$__nacre_file"
{ __nacre_flags=$-; builtin set +xv; builtin unset -v __nacre_file; } 2>/dev/null`;
}

/**
 * A function named `builtin` would be called by our own lines; the command has ended and needs it no longer.
 */
const RECLAIM_BUILTIN = 'if declare -F builtin >/dev/null; then unset -f builtin; __nacre_lost=builtin; fi';

/** The statuses are saved first, because any other command replaces them. */
function renderExitTrap(atExit: string, directory: string | null): string {
  if (directory === null) return `{ ${RECLAIM_BUILTIN}; builtin set +xv; } 2>/dev/null; ${atExit}`;
  const print = `builtin printf "%s " "\${__nacre[@]}" >|${shellQuote(`${directory}/pipestatus`)}`;
  const taken = `{ __nacre=("\${PIPESTATUS[@]}"); ${RECLAIM_BUILTIN}; builtin set +xv; } 2>/dev/null; ${print}`;
  return atExit === '' ? taken : `${taken}; builtin unset -v __nacre; ${atExit}`;
}
