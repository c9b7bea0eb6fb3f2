/** Variables that bash makes itself, and those that would mean something else in the next shell. */
const NOT_CARRIED = new Set([
  'COLUMNS',
  'COMP_WORDBREAKS',
  // Descriptors that are closed then.
  'COPROC',
  'COPROC_PID',
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
const POISON = new Set(['errexit', 'nounset', 'xtrace', 'verbose', 'noexec', 'onecmd', 'keyword']);

/** Whether a variable goes over to the next call. */
export function isCarriedVariable(name: string): boolean {
  return !NOT_CARRIED.has(name) && !/^(?:BASH|NACRE|COMP_|READLINE_|__nacre|nacre_)/.test(name);
}

/** Words that our own lines cannot do without, whatever a name like them would mean. */
const KEYWORDS = new Set(
  '! [[ ]] { } builtin case coproc do done elif else esac exec fi for function if in select then time until while'.split(
    ' ',
  ),
);

/** Whether a function or an alias does. */
export function isCarriedName(name: string): boolean {
  return !KEYWORDS.has(name) && !isOurName(name);
}

/** Not the user's to keep, and not worth a word. */
export function isOurName(name: string): boolean {
  return /^(?:__nacre|__X$)/.test(name);
}

/** Whether an option of `set -o` does. */
export function isCarriedOption(name: string): boolean {
  return !POISON.has(name);
}

/** Whether one of `shopt` does; these say what kind of shell it is, and one that is told so at its start looks for a debugger. */
export function isCarriedShopt(name: string): boolean {
  return name !== 'login_shell' && name !== 'restricted_shell' && name !== 'extdebug';
}
