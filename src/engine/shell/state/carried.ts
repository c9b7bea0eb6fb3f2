/** Variables that bash makes itself, and those that would mean something else in the next shell. */
const NOT_CARRIED = new Set([
  'COLUMNS',
  'COMP_WORDBREAKS',
  'DIRSTACK',
  'EPOCHREALTIME',
  'EPOCHSECONDS',
  'EUID',
  'FUNCNAME',
  'GROUPS',
  'HISTCMD',
  'LINENO',
  'LINES',
  'OLDPWD',
  'OPTARG',
  'OPTERR',
  'OPTIND',
  'PIPESTATUS',
  'PPID',
  'PWD',
  'RANDOM',
  'SECONDS',
  'SHELLOPTS',
  'SHLVL',
  'SRANDOM',
  'UID',
  '_',
]);

/** They would decide how the next command ends, or what is printed of it: that is for the next command to say. */
const POISON = new Set(['errexit', 'nounset', 'xtrace', 'verbose', 'noexec', 'onecmd']);

/** Whether a variable goes over to the next call. */
export function isCarriedVariable(name: string): boolean {
  return !NOT_CARRIED.has(name) && !/^(?:BASH|NACRE|COMP_|READLINE_|__nacre|nacre_)/.test(name);
}

/** Whether an option of `set -o` does. */
export function isCarriedOption(name: string): boolean {
  return !POISON.has(name);
}

/** Whether one of `shopt` does; these say what kind of shell it is. */
export function isCarriedShopt(name: string): boolean {
  return name !== 'login_shell' && name !== 'restricted_shell';
}
