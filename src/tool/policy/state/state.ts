import type { Function as FunctionNode } from 'unbash';
import type { Field } from '../words/atom.ts';
import { fieldKey } from '../words/atom.ts';
import { distinct } from '../words/join.ts';
import type { Path } from '../words/path.ts';
import { pathField, START } from '../words/path.ts';
import { uniteFiles } from '../words/texts.ts';
import type { Value, Variable } from './value.ts';
import { MAX_LISTED, uniteOptions } from './value.ts';

/** A function of the script, with how its positions map to the command. */
export interface ShellFunction {
  readonly node: FunctionNode;
  /** `null` when the function stands outside the command. */
  readonly place: ((pos: number, end: number) => Span) | null;
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

/** `$1`, `$2` and so on, each one of several values. */
export type Positional = readonly (readonly Field[])[];

/** What is known of the shell at one point of the script. A fork sees its parent's names until it gives its own. */
export class State {
  readonly #parent: State | undefined;
  /** Made when something is set: most forks never are. */
  readonly #own: { [K in Kind]?: Map<string, Names[K] | null> } = {};
  /** `null`: nobody knows. */
  positional: Positional | null = null;
  cwd: readonly Path[] = AT_START;
  /** Where the shell still is if the last `cd` failed. */
  cwdOnFailure: readonly Path[] = NO_PATHS;
  /** Where it is if one of the earlier ones did, and nobody looked. */
  cwdUnlooked: readonly Path[] = NO_PATHS;
  /** `cd -`. */
  cwdBefore: readonly Path[] = AT_START;
  /** Names that end with the function that is being called. */
  locals: Set<string>;
  errexit = false;
  aliasesExpand = false;
  /** Counts the joins that brought something new. */
  revision = 0;
  /** Scripts to run when this shell ends. */
  traps: readonly (readonly Field[])[] = [];

  constructor(parent?: State) {
    this.#parent = parent;
    this.locals = parent?.locals ?? new Set();
    if (parent === undefined) return;
    this.positional = parent.positional;
    this.cwd = parent.cwd;
    this.cwdOnFailure = parent.cwdOnFailure;
    this.cwdUnlooked = parent.cwdUnlooked;
    this.cwdBefore = parent.cwdBefore;
    this.errexit = parent.errexit;
    this.aliasesExpand = parent.aliasesExpand;
    this.revision = parent.revision;
  }

  fork(): State {
    return new State(this);
  }

  get<K extends Kind>(kind: K, name: string): Names[K] | undefined {
    for (let state: State | undefined = this; state !== undefined; state = state.#parent) {
      const found = state.#own[kind]?.get(name);
      if (found !== undefined) return found ?? undefined;
    }
    return undefined;
  }

  set<K extends Kind>(kind: K, name: string, value: Names[K] | null): void {
    const own = this.#own as { [Other in K]?: Map<string, Names[K] | null> };
    own[kind] ??= new Map();
    own[kind].set(name, value);
  }

  /** The names of all variables that were ever set. */
  variableNames(): ReadonlySet<string> {
    const names = new Set(this.#parent?.variableNames());
    for (const name of this.#own.variable?.keys() ?? []) names.add(name);
    return names;
  }

  /** The names of all functions and aliases that this one was given itself. */
  commandNames(): readonly string[] {
    return [...(this.#own.function?.keys() ?? []), ...(this.#own.alias?.keys() ?? [])];
  }

  /** Goes on as a fork ended, but for the names that were its own. */
  absorb(fork: State): void {
    for (const [name, variable] of fork.#own.variable ?? [])
      if (!fork.locals.has(name)) this.set('variable', name, variable);
    for (const kind of OTHER_KINDS) fork.#copy(kind, this);
    this.cwd = fork.cwd;
    this.cwdOnFailure = fork.cwdOnFailure;
    this.cwdUnlooked = fork.cwdUnlooked;
    this.cwdBefore = fork.cwdBefore;
    this.errexit = fork.errexit;
    this.aliasesExpand = fork.aliasesExpand;
    this.traps = [...this.traps, ...fork.traps];
  }

  /** This shell ends: its names go, what it wrote into files and git's settings stays. */
  end(): void {
    if (this.#parent === undefined) return;
    this.#copy('file', this.#parent);
    this.#copy('gitAlias', this.#parent);
  }

  /** Goes on as after one of these forks, not knowing which. */
  join(forks: readonly State[]): void {
    for (const name of written(forks.map((fork) => fork.#own.variable))) this.#joinVariable(name, forks);
    for (const name of written(forks.map((fork) => fork.#own.function)))
      this.set('function', name, forks.map((fork) => fork.get('function', name)).findLast(Boolean) ?? null);
    for (const kind of TEXT_KINDS)
      for (const name of written(forks.map((fork) => fork.#own[kind]))) this.#joinTexts(kind, name, forks);
    const before = this.cwd.length;
    this.cwd = uniteCwd(forks.map((fork) => fork.cwd));
    if (this.cwd.length !== before) this.revision += 1;
    this.cwdOnFailure = uniteCwd(forks.map((fork) => fork.cwdOnFailure));
    this.cwdUnlooked = uniteCwd(forks.map((fork) => fork.cwdUnlooked));
    this.errexit = forks.every((fork) => fork.errexit);
    this.aliasesExpand = forks.some((fork) => fork.aliasesExpand);
    this.traps = [...this.traps, ...forks.flatMap((fork) => fork.traps)];
    const positional = unitePositional(forks.map((fork) => fork.positional));
    if (positional !== null && forks.some((fork) => fork.positional !== this.positional)) this.revision += 1;
    this.positional = positional;
  }

  #copy<K extends Kind>(kind: K, to: State): void {
    for (const [name, value] of this.#own[kind] ?? []) to.set(kind, name, value as Names[K] | null);
  }

  #joinTexts(kind: TextKind, name: string, forks: readonly State[]): void {
    const old = this.get(kind, name) ?? [];
    const texts = uniteFiles(forks.flatMap((fork) => fork.get(kind, name) ?? []));
    if (texts.length !== old.length || texts.some((text, index) => !isSame(text, old[index])))
      this.revision += 1;
    this.set(kind, name, texts);
  }

  #joinVariable(name: string, forks: readonly State[]): void {
    const variables = forks.map((fork) => fork.get('variable', name));
    const options = uniteOptions(
      variables.flatMap((variable): readonly Value[] => variable?.options ?? [UNSET]),
    );
    const last = variables.findLast((variable) => variable !== undefined);
    const old = this.get('variable', name)?.options ?? [];
    if (options.length > old.length || uniteOptions([...old, ...options]).length > old.length)
      this.revision += 1;
    this.set('variable', name, { ...last, options });
  }
}

const TEXT_KINDS = ['alias', 'file', 'gitAlias'] as const;
type TextKind = (typeof TEXT_KINDS)[number];
const OTHER_KINDS = ['function', ...TEXT_KINDS] as const;

function written(maps: readonly (ReadonlyMap<string, unknown> | undefined)[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const map of maps) for (const name of map?.keys() ?? []) names.add(name);
  return names;
}

const AT_START: readonly Path[] = [START];
const NO_PATHS: readonly Path[] = [];
const UNSET: Field = [{ kind: 'unknown' }];

/** Which of several lists it is, nobody knows, so each place may hold what stands there in any of them. */
export function unitePositional(lists: readonly (Positional | null)[]): Positional | null {
  const [first = null] = lists;
  if (lists.every((list) => list === first)) return first;
  const known = lists.filter((list) => list !== null);
  if (known.length < lists.length) return null;
  const length = Math.max(...known.map((list) => list.length));
  return Array.from({ length }, (_, index) =>
    distinct(
      known.flatMap((list) => list[index] ?? []),
      MAX_LISTED,
    ),
  );
}

// More would multiply; only the last directory and those that are dangerous as they stand matter.
const MAX_CWD = 8;

export function uniteCwd(lists: readonly (readonly Path[])[]): readonly Path[] {
  const [first = []] = lists;
  if (lists.every((list) => list === first)) return first;
  const byKey = new Map<string, Path>();
  for (const path of lists.flat()) byKey.set(`${path.base} ${path.up} ${fieldKey(pathField(path))}`, path);
  const all = [...byKey.values()];
  return all.length <= MAX_CWD ? all : all.filter((path, index) => path.names.length === 0 || index === 0);
}

function isSame(text: Field, other: Field | undefined): boolean {
  return other === text || (other !== undefined && fieldKey(other) === fieldKey(text));
}
