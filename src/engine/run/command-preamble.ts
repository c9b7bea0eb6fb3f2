import { shellQuote } from '../text/shell-quote.ts';
import type { RunRequest } from './run-request.ts';

/** What of a request is shell text around its command. */
export type PreambleRequest = Pick<
  RunRequest,
  'baseEnvironment' | 'preamble' | 'atExit' | 'pipeStatus' | 'env'
>;

/** Its name in the run's directory. */
export const PREAMBLE_FILE = 'preamble';

/** Whether bash must read something before the command. */
export function needsPreamble({ baseEnvironment, preamble, atExit, pipeStatus }: PreambleRequest): boolean {
  return baseEnvironment !== null || preamble !== '' || atExit !== '' || pipeStatus;
}

/**
 * What bash reads before the command, in one piece: `BASH_ENV` brings it, so the command itself stays as it was written
 * and finds nothing of it: `$_`, `BASH_ENV` and tracing are as they would have been.
 */
export function renderPreamble(request: PreambleRequest, directory: string): string {
  return `${renderBasePreamble(request)}${renderCallPreamble(request, directory)}`;
}

/** The part that is the same for every call with this environment and ground: it can be run before the call is there. */
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

/** The part of one call; it comes right before its command. */
export function renderCallPreamble(
  request: Omit<PreambleRequest, 'baseEnvironment' | 'env'>,
  directory: string,
): string {
  return `${renderCallSetup(request, directory)}${RESTORE_SHELL_FLAGS}\n`;
}

/** The same without taking back what the first part has changed. */
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

/** Tracing must not show our own lines, and `$_` is what bash was started as until the command changes it. */
const SAVE_SHELL_FLAGS = '{ __nacre_last=$_ __nacre_flags=$-; builtin set +xv; } 2>/dev/null';

/**
 * The argument of the last command is what `$_` is then: here the one from before. A ground that has aliases says so in
 * `__nacre_aliases`: they are switched on when none of our own lines is read any more.
 */
export const RESTORE_SHELL_FLAGS = `__nacre_leave() {
  case \${__nacre_aliases-} in 1) builtin shopt -s expand_aliases ;; esac
  builtin unset -v __nacre_last __nacre_flags __nacre_aliases __nacre_exports
  builtin unset -f __nacre_leave
  case $1 in *v*) builtin set -v ;; esac
  case $1 in *x*) builtin set -x ;; esac
}
__nacre_leave "$__nacre_flags" "$__nacre_last"`;

/** The user's own file takes the place again that ours has taken, traced if the user wants that. */
function renderUserBashEnv(bashEnv: string | undefined): string {
  if (bashEnv === undefined) return 'builtin unset BASH_ENV';
  // As bash does it: the value is expanded as if in double quotes, and a file that is not there is none.
  const expanded = `"${bashEnv.replaceAll('"', '\\"')}"`;
  return `BASH_ENV=${shellQuote(bashEnv)}
builtin eval ${shellQuote(`__nacre_file=${expanded}`)}
case $__nacre_flags in *v*) builtin set -v ;; esac
case $__nacre_flags in *x*) builtin set -x ;; esac
[[ ! -r $__nacre_file ]] || . "$__nacre_file"
{ __nacre_flags=$-; builtin set +xv; builtin unset -v __nacre_file; } 2>/dev/null`;
}

/** The command is over: a function of this name has served its purpose, and our own lines would call it. */
const RECLAIM_BUILTIN = 'if declare -F builtin >/dev/null; then unset -f builtin; __nacre_lost=builtin; fi';

/** The statuses are taken first: any other command would replace them. */
function renderExitTrap(atExit: string, directory: string | null): string {
  if (directory === null) return `{ ${RECLAIM_BUILTIN}; builtin set +xv; } 2>/dev/null; ${atExit}`;
  const print = `builtin printf "%s " "\${__nacre[@]}" >|${shellQuote(`${directory}/pipestatus`)}`;
  const taken = `{ __nacre=("\${PIPESTATUS[@]}"); ${RECLAIM_BUILTIN}; builtin set +xv; } 2>/dev/null; ${print}`;
  return atExit === '' ? taken : `${taken}; builtin unset -v __nacre; ${atExit}`;
}
