import type { Function as FunctionNode } from 'unbash';
import type { Field } from '../words/atom.ts';
import { distinct } from '../words/atom.ts';
import type { Path } from '../words/path.ts';
import { pathField, START } from '../words/path.ts';
import type { Value, Variable } from './value.ts';
import { MAX_OPTIONS, uniteOptions } from './value.ts';

/** A function of the script, with how its positions map to the command. */
export interface ShellFunction {
  readonly node: FunctionNode;
  readonly place: (pos: number, end: number) => Span;
}

/** A stretch of the command, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Names that a script gives meaning to. */
interface Names {
  readonly variable: Variable;
  readonly function: ShellFunction;
  readonly alias: readonly Field[];
  /** What the script wrote into a file, by path. */
  readonly file: readonly Field[];
  readonly gitAlias: readonly Field[];
}

type Kind = keyof Names;

/** What is known of the shell at one point of the script. A fork sees its parent's names until it gives its own. */
export class State {
  readonly #parent: State | undefined;
  readonly #own = new Map<string, Names[Kind] | null>();
  /** `null`: nobody knows. */
  positional: readonly Field[] | null = null;
  cwd: readonly Path[] = [START];
  /** Where the shell still is if the last `cd` failed. */
  cwdOnFailure: readonly Path[] = [];
  /** `cd -`. */
  cwdBefore: readonly Path[] = [START];
  /** Names that end with the function that is being called. */
  locals: Set<string> = new Set();
  errexit = false;
  aliasesExpand = false;
  /** Counts the joins that brought something new. */
  revision = 0;
  /** Scripts to run when this shell ends. */
  traps: readonly (readonly Field[])[] = [];

  constructor(parent?: State) {
    this.#parent = parent;
    if (parent === undefined) return;
    this.positional = parent.positional;
    this.cwd = parent.cwd;
    this.cwdOnFailure = parent.cwdOnFailure;
    this.cwdBefore = parent.cwdBefore;
    this.locals = parent.locals;
    this.errexit = parent.errexit;
    this.aliasesExpand = parent.aliasesExpand;
    this.revision = parent.revision;
  }

  fork(): State {
    return new State(this);
  }

  get<K extends Kind>(kind: K, name: string): Names[K] | undefined {
    const key = `${kind} ${name}`;
    for (let state: State | undefined = this; state !== undefined; state = state.#parent) {
      const found = state.#own.get(key);
      if (found !== undefined) return (found ?? undefined) as Names[K] | undefined;
    }
    return undefined;
  }

  set<K extends Kind>(kind: K, name: string, value: Names[K] | null): void {
    this.#own.set(`${kind} ${name}`, value);
  }

  /** Goes on as a fork ended, but for the names that were its own. */
  absorb(fork: State): void {
    for (const [key, value] of fork.#own) {
      const local = key.startsWith('variable ') && fork.locals.has(key.slice('variable '.length));
      if (!local) this.#own.set(key, value);
    }
    this.cwd = fork.cwd;
    this.cwdOnFailure = fork.cwdOnFailure;
    this.cwdBefore = fork.cwdBefore;
    this.errexit = fork.errexit;
    this.aliasesExpand = fork.aliasesExpand;
    this.traps = [...this.traps, ...fork.traps];
  }

  /** Goes on as after one of these forks, not knowing which. */
  join(forks: readonly State[]): void {
    const keys = new Set(forks.flatMap((fork) => [...fork.#own.keys()]));
    for (const key of keys) {
      const separator = key.indexOf(' ');
      this.#joinName(key.slice(0, separator) as Kind, key.slice(separator + 1), forks);
    }
    const before = this.cwd.length;
    this.cwd = uniteCwd(forks.map((fork) => fork.cwd));
    if (this.cwd.length !== before) this.revision += 1;
    this.cwdOnFailure = uniteCwd(forks.map((fork) => fork.cwdOnFailure));
    this.errexit = forks.every((fork) => fork.errexit);
    this.aliasesExpand = forks.some((fork) => fork.aliasesExpand);
    this.traps = [...this.traps, ...forks.flatMap((fork) => fork.traps)];
    const [first] = forks;
    this.positional = forks.every((fork) => fork.positional === first?.positional)
      ? (first?.positional ?? null)
      : null;
  }

  #joinName(kind: Kind, name: string, forks: readonly State[]): void {
    if (kind === 'variable') {
      const variables = forks.map((fork) => fork.get('variable', name));
      const options = variables.flatMap((variable): readonly Value[] => variable?.options ?? [UNSET]);
      const last = variables.findLast((variable) => variable !== undefined);
      const old = this.get('variable', name)?.options ?? [];
      const united = uniteOptions(options);
      if (uniteOptions([...old, ...united]).length > old.length) this.revision += 1;
      this.set('variable', name, { ...last, options: united });
      return;
    }
    if (kind === 'function') {
      this.set(kind, name, forks.map((fork) => fork.get(kind, name)).findLast(Boolean) ?? null);
      return;
    }
    const all = forks.flatMap((fork) => fork.get(kind, name) ?? []);
    this.set(kind, name, distinct(all, MAX_OPTIONS));
  }
}

const UNSET: Field = [{ kind: 'unknown' }];

// More would multiply; only the last directory and those that are dangerous as they stand matter.
const MAX_CWD = 8;

export function uniteCwd(lists: readonly (readonly Path[])[]): readonly Path[] {
  const byKey = new Map<string, Path>();
  for (const path of lists.flat())
    byKey.set(`${path.base} ${path.up} ${JSON.stringify(pathField(path))}`, path);
  const all = [...byKey.values()];
  return all.length <= MAX_CWD ? all : all.filter((path, index) => path.names.length === 0 || index === 0);
}
