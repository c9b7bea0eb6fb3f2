/**
 * What a session's shell has become, apart from what every new shell is anyway. Texts hold one byte in each character
 * (latin1): what a variable holds need not be text.
 */
export interface ShellState {
  /** `null`: where the session began. This and the next are text, as Node has it. */
  readonly cwd: string | null;
  readonly oldCwd: string | null;
  /** The directories below the first one, as `dirs` lists them. */
  readonly stack: readonly string[];
  readonly umask: string | null;
  /** `declare …` by name; `null` stands for a variable that was unset. */
  readonly variables: Readonly<Record<string, string | null>>;
  /** By name; `null` stands for a function that was unset. */
  readonly functions: Readonly<Record<string, ShellFunction | null>>;
  /** `alias …` by name; `null` stands for one that was taken away. */
  readonly aliases: Readonly<Record<string, string | null>>;
  /** Options of `shopt` that were switched. */
  readonly shopt: Readonly<Record<string, boolean>>;
  /** Options of `set -o` that were switched. */
  readonly set: Readonly<Record<string, boolean>>;
}

export interface ShellFunction {
  readonly text: string;
  /** `declare -f…`, with its attributes. */
  readonly declaration: string;
}

export const EMPTY_STATE: ShellState = {
  cwd: null,
  oldCwd: null,
  stack: [],
  umask: null,
  variables: {},
  functions: {},
  aliases: {},
  shopt: {},
  set: {},
};

/** Whether a shell needs to be told anything of it; a directory it is started in. */
export function isBare(state: ShellState): boolean {
  const { stack, umask, variables, functions, aliases, shopt, set } = state;
  const kinds = [variables, functions, aliases, shopt, set];
  return stack.length === 0 && umask === null && kinds.every((kind) => Object.keys(kind).length === 0);
}

/** The names of what is there, without what was taken away. */
export function namesOf(kind: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(kind).filter((name) => kind[name] !== null);
}
