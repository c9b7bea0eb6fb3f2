import { isCarriedName, isCarriedOption, isCarriedShopt, isCarriedVariable, isOurName } from './carried.ts';
import type { ShellDump } from './read-dump.ts';
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

export interface Merged {
  /** The very state that was given when nothing changed. */
  readonly state: ShellState;
  /** Variables that hold a secret, and were left as they are for that. */
  readonly kept: readonly string[];
  /** Functions and aliases by the names of words that a shell cannot do without. */
  readonly keywords: readonly string[];
}

/** What a command changed, on top of what was there. */
export function mergeChange(state: ShellState, change: ShellChange): Merged {
  const { before, after } = change;
  const variables = changedVariables(change);
  const functions = named(changes(before.functions ?? NONE, after.functions ?? NONE, isSameFunction));
  const aliases = named(changes(before.aliases, after.aliases));
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
    shopt: { ...state.shopt, ...switched(before.shopt, after.shopt, isCarriedShopt) },
    set: { ...state.set, ...switched(before.set, after.set, isCarriedOption) },
  };
  // It stood in the way of whoever wrote the shell down, and was taken away for that.
  const lost = after.variables.has('__nacre_lost') ? ['builtin'] : [];
  const keywords = [...functions.left, ...lost, ...aliases.left];
  return { state: sameState(state, merged) ? state : merged, kept: variables.kept, keywords };
}

/** Those that can be carried, and the names of those that cannot. */
function named<T>(all: Readonly<Record<string, T | null>>): {
  readonly carried: Record<string, T | null>;
  readonly left: readonly string[];
} {
  const entries = Object.entries(all);
  return {
    carried: Object.fromEntries(entries.filter(([name]) => isCarriedName(name))),
    left: entries.flatMap(([name, value]) =>
      value === null || isCarriedName(name) || isOurName(name) ? [] : [name],
    ),
  };
}

const NONE: ReadonlyMap<string, ShellFunction> = new Map();

function changedVariables(change: ShellChange): { changed: Record<string, string | null>; kept: string[] } {
  const { before, after, callNames, secrets } = change;
  const inner = namesOfFunctions(after);
  const all = changes(before.variables, after.variables);
  const candidates = Object.entries(all).filter(
    ([name]) => isCarriedVariable(name) && !callNames.has(name) && !inner.has(name),
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
function changes<T>(
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

function switched(
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
