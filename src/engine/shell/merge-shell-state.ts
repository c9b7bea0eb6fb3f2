import type { ShellDump } from './shell-dump.ts';
import type { ShellFunction, ShellState } from './shell-state.ts';

/** The shell before and after one command. */
interface ShellChange {
  readonly before: ShellDump;
  readonly after: ShellDump;
  /** Variables of the call itself, which are not persisted. */
  readonly callNames: ReadonlySet<string>;
  /** Values that are never persisted. */
  readonly secrets: readonly string[];
}

interface MergedShellState {
  /** The same object as the input if nothing changed. */
  readonly state: ShellState;
  /** Variables that were not updated, because they contain a secret. */
  readonly secretVariables: readonly string[];
  /** Functions and aliases that were not kept, because they replace reserved words. */
  readonly reservedNames: readonly string[];
}

/** Adds the changes of a command to a shell state. */
export function mergeShellChange(state: ShellState, change: ShellChange): MergedShellState {
  const { before, after } = change;
  const variables = changedVariables(change);
  const functions = separateReserved(
    changedEntries(before.functions ?? NO_FUNCTIONS, after.functions ?? NO_FUNCTIONS, isSameFunction),
  );
  const aliases = separateReserved(changedEntries(before.aliases, after.aliases));
  const merged: ShellState = {
    ...state,
    ...(before.cwd !== after.cwd ? { cwd: after.cwd } : {}),
    ...(before.oldCwd !== after.oldCwd ? { oldCwd: after.oldCwd } : {}),
    ...(sameList(before.stack, after.stack) ? {} : { stack: after.stack }),
    ...(before.umask !== after.umask ? { umask: after.umask } : {}),
    variables: { ...state.variables, ...variables.changed },
    functions: { ...state.functions, ...functions.persisted },
    aliases: { ...state.aliases, ...aliases.persisted },
    shopt: { ...state.shopt, ...switchedOptions(before.shopt, after.shopt, isPersistedShopt) },
    set: { ...state.set, ...switchedOptions(before.set, after.set, isPersistedOption) },
  };
  // The dump script removes a function called `builtin` and sets this variable.
  const lost = after.variables.has('__nacre_lost') ? ['builtin'] : [];
  return {
    state: JSON.stringify(state) === JSON.stringify(merged) ? state : merged,
    secretVariables: variables.withheld,
    reservedNames: [...functions.reserved, ...lost, ...aliases.reserved],
  };
}

/** Splits changes into those that can be persisted and the names of the others. */
function separateReserved<T>(all: Readonly<Record<string, T | null>>): {
  readonly persisted: Record<string, T | null>;
  readonly reserved: readonly string[];
} {
  const entries = Object.entries(all);
  return {
    persisted: Object.fromEntries(entries.filter(([name]) => isPersistedName(name))),
    reserved: entries.flatMap(([name, value]) =>
      value === null || isPersistedName(name) || isNacreName(name) ? [] : [name],
    ),
  };
}

const NO_FUNCTIONS: ReadonlyMap<string, ShellFunction> = new Map();

function changedVariables(change: ShellChange): {
  changed: Record<string, string | null>;
  withheld: string[];
} {
  const { before, after, callNames, secrets } = change;
  const locals = localNames(after);
  const all = changedEntries(before.variables, after.variables);
  const candidates = Object.entries(all).filter(
    ([name]) => isPersistedVariable(name) && !callNames.has(name) && !locals.has(name),
  );
  const isSecret = ([, text]: [string, string | null]): boolean =>
    text !== null && secrets.some((secret) => containsSecret(text, secret));
  return {
    changed: Object.fromEntries(candidates.filter((entry) => !isSecret(entry))),
    withheld: candidates.filter(isSecret).map(([name]) => name),
  };
}

/**
 * Names of local variables: a shell that exits inside functions dumps them like globals. `locals` has those of
 * the innermost function; those of its callers are taken from the text of the functions.
 */
function localNames({ entered, locals, functions }: ShellDump): ReadonlySet<string> {
  const names = new Set(locals);
  for (const name of entered.slice(1)) {
    const text = functions?.get(name)?.text ?? '';
    for (const [, words = ''] of text.matchAll(/\b(?:local|declare|typeset)\s([^;\n]*)/g))
      for (const [word] of words.matchAll(/[A-Za-z_]\w*/g)) names.add(word);
  }
  return names;
}

function containsSecret(text: string, secret: string): boolean {
  if (secret.length < MIN_SECRET) return false;
  const bytes = Buffer.from(secret).toString('latin1');
  return text.includes(bytes) || text.includes(bytes.replace(/["$\\`]/g, '\\$&'));
}

/** Shorter secrets match unrelated text. */
const MIN_SECRET = 6;

/** New and changed entries by name; `null` for removed ones. */
function changedEntries<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  isSame: (one: T, other: T) => boolean = Object.is,
): Record<string, T | null> {
  const found: [string, T | null][] = [];
  for (const [name, value] of after) {
    const earlier = before.get(name);
    if (earlier === undefined || !isSame(earlier, value)) found.push([name, value]);
  }
  for (const name of before.keys()) if (!after.has(name)) found.push([name, null]);
  return Object.fromEntries(found);
}

function isSameFunction(one: ShellFunction, other: ShellFunction): boolean {
  return one.text === other.text && one.declaration === other.declaration;
}

function switchedOptions(
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
  isPersisted: (name: string) => boolean,
): Record<string, boolean> {
  const on = [...after].filter((name) => !before.has(name)).map((name) => [name, true] as const);
  const off = [...before].filter((name) => !after.has(name)).map((name) => [name, false] as const);
  return Object.fromEntries([...on, ...off].filter(([name]) => name !== '' && isPersisted(name)));
}

function sameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}

/** Variables that bash sets itself or that are meaningless in the next shell. */
const UNPERSISTED_VARIABLES = new Set(
  (
    'COLUMNS COMP_WORDBREAKS COPROC COPROC_PID DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME ' +
    'GROUPS HISTCMD LINENO LINES OLDPWD OPTARG OPTERR OPTIND PIPESTATUS PPID PWD RANDOM SECONDS ' +
    'SHELLOPTS SHLVL SRANDOM UID _'
  ).split(' '),
);

/** Options that change whether and how the next command fails or what it prints. */
const UNPERSISTED_OPTIONS = new Set('errexit nounset xtrace verbose noexec onecmd keyword'.split(' '));

/** Whether a variable is kept for the next call. */
function isPersistedVariable(name: string): boolean {
  return !UNPERSISTED_VARIABLES.has(name) && !/^(?:BASH|NACRE|COMP_|READLINE_|__nacre|nacre_)/.test(name);
}

/** Words that the scripts of this project use; a function or alias of that name would break them. */
const RESERVED_WORDS = new Set(
  '! [[ ]] { } builtin case coproc do done elif else esac exec fi for function if in select then time until while'.split(
    ' ',
  ),
);

/** Whether a function or an alias is kept for the next call. */
function isPersistedName(name: string): boolean {
  return !RESERVED_WORDS.has(name) && !isNacreName(name);
}

/** Whether a name belongs to this project's own scripts. */
function isNacreName(name: string): boolean {
  return /^(?:__nacre|__X$)/.test(name);
}

/** Whether an option of `set -o` is kept for the next call. */
function isPersistedOption(name: string): boolean {
  return !UNPERSISTED_OPTIONS.has(name);
}

/**
 * Whether an option of `shopt` is kept for the next call. `extdebug` at startup makes bash look for a debugger.
 */
function isPersistedShopt(name: string): boolean {
  return name !== 'login_shell' && name !== 'restricted_shell' && name !== 'extdebug';
}
