import type { ShellDump } from './shell-dump.ts';
import type { ShellFunction, ShellState } from './shell-state.ts';

/** One command's shell, at its beginning and at its end. */
export interface ShellChange {
  readonly before: ShellDump;
  readonly after: ShellDump;
  /** Names that were the call's own. */
  readonly callNames: ReadonlySet<string>;
  /** Values that are not written down. */
  readonly secrets: readonly string[];
}

export interface MergedShellState {
  /** The very state that was given when nothing changed. */
  readonly state: ShellState;
  /** Variables that hold a secret, and were left as they are for that. */
  readonly secretVariables: readonly string[];
  /** Functions and aliases by the names of words that a shell cannot do without. */
  readonly reservedNames: readonly string[];
}

/** What a command changed, on top of what was there. */
export function mergeShellChange(state: ShellState, change: ShellChange): MergedShellState {
  const { before, after } = change;
  const variables = changedVariables(change);
  const functions = separateReserved(
    changedEntries(before.functions ?? NO_FUNCTIONS, after.functions ?? NO_FUNCTIONS, isSameFunction),
  );
  const aliases = separateReserved(changedEntries(before.aliases, after.aliases));
  const moved = before.cwd !== after.cwd ? { cwd: after.cwd } : {};
  const merged: ShellState = {
    ...state,
    ...moved,
    ...(before.oldCwd !== after.oldCwd ? { oldCwd: after.oldCwd } : {}),
    ...(sameList(before.stack, after.stack) ? {} : { stack: after.stack }),
    ...(before.umask !== after.umask ? { umask: after.umask } : {}),
    variables: { ...state.variables, ...variables.changed },
    functions: { ...state.functions, ...functions.carried },
    aliases: { ...state.aliases, ...aliases.carried },
    shopt: { ...state.shopt, ...switchedOptions(before.shopt, after.shopt, isPersistedShopt) },
    set: { ...state.set, ...switchedOptions(before.set, after.set, isPersistedOption) },
  };
  // It stood in the way of whoever wrote the shell down, and was taken away for that.
  const lost = after.variables.has('__nacre_lost') ? ['builtin'] : [];
  const keywords = [...functions.left, ...lost, ...aliases.left];
  return {
    state: sameState(state, merged) ? state : merged,
    secretVariables: variables.kept,
    reservedNames: keywords,
  };
}

/** Those that can be carried, and the names of those that cannot. */
function separateReserved<T>(all: Readonly<Record<string, T | null>>): {
  readonly carried: Record<string, T | null>;
  readonly left: readonly string[];
} {
  const entries = Object.entries(all);
  return {
    carried: Object.fromEntries(entries.filter(([name]) => isPersistedName(name))),
    left: entries.flatMap(([name, value]) =>
      value === null || isPersistedName(name) || isNacreName(name) ? [] : [name],
    ),
  };
}

const NO_FUNCTIONS: ReadonlyMap<string, ShellFunction> = new Map();

function changedVariables(change: ShellChange): { changed: Record<string, string | null>; kept: string[] } {
  const { before, after, callNames, secrets } = change;
  const inner = namesOfFunctions(after);
  const all = changedEntries(before.variables, after.variables);
  const candidates = Object.entries(all).filter(
    ([name]) => isPersistedVariable(name) && !callNames.has(name) && !inner.has(name),
  );
  const holds = ([, text]: [string, string | null]): boolean =>
    text !== null && secrets.some((secret) => holdsSecret(text, secret));
  return {
    changed: Object.fromEntries(candidates.filter((entry) => !holds(entry))),
    kept: candidates.filter(holds).map(([name]) => name),
  };
}

/**
 * A shell that ends inside functions shows their variables as if they were its own. Those of the innermost are
 * known; of the others we look at what their text declares.
 */
function namesOfFunctions({ entered, locals, functions }: ShellDump): ReadonlySet<string> {
  const names = new Set(locals);
  for (const name of entered.slice(1)) {
    const text = functions?.get(name)?.text ?? '';
    for (const [, words = ''] of text.matchAll(/\b(?:local|declare|typeset)\s([^;\n]*)/g))
      for (const [word] of words.matchAll(/[A-Za-z_]\w*/g)) names.add(word);
  }
  return names;
}

function holdsSecret(text: string, secret: string): boolean {
  if (secret.length < MIN_SECRET) return false;
  const bytes = Buffer.from(secret).toString('latin1');
  return text.includes(bytes) || text.includes(bytes.replace(/["$\\`]/g, '\\$&'));
}

/** Shorter ones are found everywhere. */
const MIN_SECRET = 6;

/** What is new or different, by name; `null` for what is gone. */
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
  isCarried: (name: string) => boolean,
): Record<string, boolean> {
  const on = [...after].filter((name) => !before.has(name)).map((name) => [name, true] as const);
  const off = [...before].filter((name) => !after.has(name)).map((name) => [name, false] as const);
  return Object.fromEntries([...on, ...off].filter(([name]) => name !== '' && isCarried(name)));
}

function sameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}

function sameState(one: ShellState, other: ShellState): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Variables that bash makes itself, and those that would mean something else in the next shell. */
const UNPERSISTED_VARIABLES = new Set([
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
const UNPERSISTED_OPTIONS = new Set([
  'errexit',
  'nounset',
  'xtrace',
  'verbose',
  'noexec',
  'onecmd',
  'keyword',
]);

/** Whether a variable goes over to the next call. */
export function isPersistedVariable(name: string): boolean {
  return !UNPERSISTED_VARIABLES.has(name) && !/^(?:BASH|NACRE|COMP_|READLINE_|__nacre|nacre_)/.test(name);
}

/** Words that our own lines cannot do without, whatever a name like them would mean. */
const RESERVED_WORDS = new Set(
  '! [[ ]] { } builtin case coproc do done elif else esac exec fi for function if in select then time until while'.split(
    ' ',
  ),
);

/** Whether a function or an alias does. */
export function isPersistedName(name: string): boolean {
  return !RESERVED_WORDS.has(name) && !isNacreName(name);
}

/** Not the user's to keep, and not worth a word. */
export function isNacreName(name: string): boolean {
  return /^(?:__nacre|__X$)/.test(name);
}

/** Whether an option of `set -o` does. */
export function isPersistedOption(name: string): boolean {
  return !UNPERSISTED_OPTIONS.has(name);
}

/** Whether one of `shopt` does; these say what kind of shell it is, and one that is told so at its start looks for a debugger. */
export function isPersistedShopt(name: string): boolean {
  return name !== 'login_shell' && name !== 'restricted_shell' && name !== 'extdebug';
}
