import type { Function as FunctionNode } from 'unbash';
import type { SourceSpan } from '../../syntax/parse-script.ts';
import {
  changeLetterCase,
  concatFields,
  distinctFields,
  type Field,
  fieldKey,
  MAX_STORED_MIX,
  OVERFLOW_FIELD,
  splitLines,
  toField,
  toLiteral,
} from './field.ts';
import { type FieldPath, fromFieldPath, START_PATH } from './field-path.ts';

/** Maximum number of alternative texts. */
const MAX_TEXTS = 8;
/** A text with more atoms becomes unknown. */
const MAX_ATOMS = 4_096;

/**
 * Removes duplicate texts. Too many become one text with each line once, so that every line is still evaluated.
 */
export function uniteTexts(texts: readonly Field[]): readonly Field[] {
  if (texts.length < 2) return texts.map(limitText);
  const byKey = new Map(texts.map((text) => [fieldKey(text), text]));
  if (byKey.size <= MAX_TEXTS) return [...byKey.values()].map(limitText);
  const lines = new Map<string, Field>();
  for (const text of byKey.values()) for (const line of splitLines(text)) lines.set(fieldKey(line), line);
  return [limitText(concatFields(...[...lines.values()].flatMap((line) => [line, toField('\n')])))];
}

/** Unites alternative file contents; a text that is the beginning of another is dropped. */
function uniteFileTexts(texts: readonly Field[]): readonly Field[] {
  if (texts.length < 2) return texts.map(limitText);
  const byKey = [...new Map(texts.map((text) => [fieldKey(text), text]))];
  const longest = byKey.filter(([key]) => !byKey.some(([other]) => other !== key && other.startsWith(key)));
  return uniteTexts(longest.map(([, text]) => text));
}

function limitText(text: Field): Field {
  return text.length > MAX_ATOMS ? OVERFLOW_FIELD : text;
}

/** An array variable: its elements by index or key. */
interface ArrayValue {
  readonly items: ReadonlyMap<string, Field>;
}

/** The value of a variable: a scalar or an array. */
export type VariableValue = Field | ArrayValue;

/** Maximum number of alternative values of one variable. */
const MAX_VALUES = 16;

/** Maximum number of alternatives when the script lists them explicitly. */
const MAX_LISTED_VALUES = 256;

/** A variable and the alternative values it may have. */
export interface ShellVariable {
  readonly options: readonly VariableValue[];
  /** Case operator set by `declare -l` and `-u` for later assignments. */
  readonly letterCase?: '^^' | ',,';
  /** Set by `declare -n`: the name of the referenced variable. */
  readonly target?: string;
}

/** Whether a value is an array. */
export function isArrayValue(value: VariableValue): value is ArrayValue {
  return 'items' in value;
}

/** Converts fields to an array with indexes from 0. */
export function toArrayValue(fields: readonly Field[]): ArrayValue {
  return { items: new Map(fields.map((field, index) => [String(index), field])) };
}

/** Returns the elements of an array, or the single value of a scalar. */
export function toElements(value: VariableValue): readonly Field[] {
  return isArrayValue(value) ? [...value.items.values()] : [value];
}

/** Returns one element of an array; a scalar is its own element 0. */
export function getElement(value: VariableValue, key: string): Field {
  if (!isArrayValue(value)) return key === '0' ? value : [];
  if (/^-\d+$/.test(key)) return [...value.items.values()].at(Number(key)) ?? [];
  return value.items.get(key) ?? [];
}

/** Applies `x+=value`: appends text, or adds elements to an array. */
function appendValue(old: VariableValue, added: VariableValue): VariableValue {
  if (!isArrayValue(old) && !isArrayValue(added)) return concatFields(old, added);
  const items = new Map(isArrayValue(old) ? old.items : toArrayValue(toElements(old)).items);
  if (!isArrayValue(added)) return { items: items.set('0', concatFields(items.get('0') ?? [], added)) };
  for (const field of added.items.values()) items.set(String(nextIndex(items)), field);
  return { items };
}

function nextIndex(items: ReadonlyMap<string, Field>): number {
  let next = 0;
  for (const key of items.keys()) if (/^\d+$/.test(key)) next = Math.max(next, Number(key) + 1);
  return next;
}

/** Unites the alternatives of several values of one variable. */
export function uniteValues(
  options: readonly VariableValue[],
  limit: number = MAX_VALUES,
): readonly VariableValue[] {
  if (options.length < 2) return options;
  const arrays = new Map<string, VariableValue>();
  const fields: Field[] = [];
  for (const value of options) {
    if (isArrayValue(value))
      arrays.set([...value.items].map(([key, field]) => `${key}=${fieldKey(field)}`).join('\n'), value);
    else fields.push(value);
  }
  const scalars = distinctFields(fields, limit);
  if (arrays.size <= MAX_VALUES) return [...scalars, ...arrays.values()];
  const all = distinctFields([...arrays.values()].flatMap(toElements), MAX_LISTED_VALUES);
  return [...scalars, toArrayValue(all)];
}

/** A function defined by the script. */
export interface ScriptFunction {
  readonly node: FunctionNode;
  /** Maps positions of the body to the command; `null` when the definition is not part of the command. */
  readonly toSpan: ((pos: number, end: number) => SourceSpan) | null;
}

/** Names that a script can define, by kind. */
interface NamedValues {
  readonly variable: ShellVariable;
  readonly function: ScriptFunction;
  readonly alias: readonly Field[];
  /** Content that the script wrote to a file, by path. */
  readonly file: readonly Field[];
  readonly gitAlias: readonly Field[];
}

type NameKind = keyof NamedValues;

/** The values of `$1`, `$2` and so on, each as a list of alternatives. */
export type PositionalParameters = readonly (readonly Field[])[];

/**
 * The known state of the shell at one point of the script. A fork sees the names of its parent until it sets
 * its own.
 */
export class ScriptState {
  readonly #parent: ScriptState | undefined;
  /** Created on first use because most forks set nothing. */
  readonly #own: { [K in NameKind]?: Map<string, NamedValues[K] | null> } = {};
  /** `null` when they are unknown. */
  positional: PositionalParameters | null = null;
  cwd: readonly FieldPath[] = AT_START;
  /** Directories if the last `cd` failed. */
  cwdOnFailure: readonly FieldPath[] = NO_PATHS;
  /** Directories if an earlier `cd` failed without a check. */
  cwdUnchecked: readonly FieldPath[] = NO_PATHS;
  /** Directories for `cd -`. */
  cwdBefore: readonly FieldPath[] = AT_START;
  /** Variables local to the active function. */
  locals: Set<string>;
  errexit = false;
  aliasesExpand = false;
  /** Known input on descriptors that `exec` opened. */
  descriptors: ReadonlyMap<number, readonly Field[]> = new Map();
  /** Incremented by each join that added a value. */
  revision = 0;
  /** Scripts that run when this shell exits. */
  traps: readonly (readonly Field[])[] = [];

  constructor(parent?: ScriptState) {
    this.#parent = parent;
    this.locals = parent?.locals ?? new Set();
    if (parent === undefined) return;
    this.#copySettings(parent);
    this.positional = parent.positional;
    this.revision = parent.revision;
  }

  fork(): ScriptState {
    return new ScriptState(this);
  }

  get<K extends NameKind>(kind: K, name: string): NamedValues[K] | undefined {
    for (let state: ScriptState | undefined = this; state !== undefined; state = state.#parent) {
      const found = state.#own[kind]?.get(name);
      if (found !== undefined) return found ?? undefined;
    }
    return undefined;
  }

  set<K extends NameKind>(kind: K, name: string, value: NamedValues[K] | null): void {
    const own = this.#own as { [Other in K]?: Map<string, NamedValues[K] | null> };
    own[kind] ??= new Map();
    own[kind].set(name, value);
  }

  /** Returns the names of all variables set in this shell and its parents. */
  variableNames(): ReadonlySet<string> {
    const names = new Set(this.#parent?.variableNames());
    for (const name of this.#own.variable?.keys() ?? []) names.add(name);
    return names;
  }

  /** Returns the names of the functions and aliases defined in this state itself. */
  commandNames(): readonly string[] {
    return [...(this.#own.function?.keys() ?? []), ...(this.#own.alias?.keys() ?? [])];
  }

  /** Takes over the state of a fork except its local variables. */
  absorb(fork: ScriptState): void {
    for (const [name, variable] of fork.#own.variable ?? [])
      if (!fork.locals.has(name)) this.set('variable', name, variable);
    for (const kind of OTHER_KINDS) fork.#copy(kind, this);
    this.#copySettings(fork);
    this.traps = [...this.traps, ...fork.traps];
  }

  /** Ends a subshell: files and git aliases remain, all other changes are dropped. */
  end(): void {
    if (this.#parent === undefined) return;
    this.#copy('file', this.#parent);
    this.#copy('gitAlias', this.#parent);
  }

  /** Takes over the state after any one of these forks: differing values become alternatives. */
  join(forks: readonly ScriptState[]): void {
    for (const name of collectNames(forks.map((fork) => fork.#own.variable))) this.#joinVariable(name, forks);
    for (const name of collectNames(forks.map((fork) => fork.#own.function)))
      this.set('function', name, forks.map((fork) => fork.get('function', name)).findLast(Boolean) ?? null);
    for (const kind of TEXT_KINDS)
      for (const name of collectNames(forks.map((fork) => fork.#own[kind])))
        this.#joinTexts(kind, name, forks);
    const before = this.cwd.length;
    this.cwd = uniteDirectories(forks.map((fork) => fork.cwd));
    if (this.cwd.length !== before) this.revision += 1;
    this.cwdOnFailure = uniteDirectories(forks.map((fork) => fork.cwdOnFailure));
    this.cwdUnchecked = uniteDirectories(forks.map((fork) => fork.cwdUnchecked));
    this.errexit = forks.every((fork) => fork.errexit);
    this.aliasesExpand = forks.some((fork) => fork.aliasesExpand);
    this.descriptors = new Map(forks.flatMap((fork) => [...fork.descriptors]));
    this.traps = [...this.traps, ...forks.flatMap((fork) => fork.traps)];
    const positional = unitePositionals(forks.map((fork) => fork.positional));
    if (positional !== null && forks.some((fork) => fork.positional !== this.positional)) this.revision += 1;
    this.positional = positional;
  }

  #copySettings(from: ScriptState): void {
    this.cwd = from.cwd;
    this.cwdOnFailure = from.cwdOnFailure;
    this.cwdUnchecked = from.cwdUnchecked;
    this.cwdBefore = from.cwdBefore;
    this.errexit = from.errexit;
    this.aliasesExpand = from.aliasesExpand;
    this.descriptors = from.descriptors;
  }

  #copy<K extends NameKind>(kind: K, to: ScriptState): void {
    for (const [name, value] of this.#own[kind] ?? []) to.set(kind, name, value as NamedValues[K] | null);
  }

  #joinTexts(kind: TextKind, name: string, forks: readonly ScriptState[]): void {
    const old = this.get(kind, name) ?? [];
    const texts = uniteFileTexts(forks.flatMap((fork) => fork.get(kind, name) ?? []));
    if (texts.length !== old.length || texts.some((text, index) => !isSameField(text, old[index])))
      this.revision += 1;
    this.set(kind, name, texts);
  }

  #joinVariable(name: string, forks: readonly ScriptState[]): void {
    const variables = forks.map((fork) => fork.get('variable', name));
    const options = uniteValues(
      variables.flatMap((variable): readonly VariableValue[] => variable?.options ?? [UNSET]),
    );
    const last = variables.findLast((variable) => variable !== undefined);
    const old = this.get('variable', name)?.options ?? [];
    if (options.length > old.length || uniteValues([...old, ...options]).length > old.length)
      this.revision += 1;
    this.set('variable', name, { ...last, options });
  }
}

const TEXT_KINDS = ['alias', 'file', 'gitAlias'] as const;
type TextKind = (typeof TEXT_KINDS)[number];
const OTHER_KINDS = ['function', ...TEXT_KINDS] as const;

function collectNames(maps: readonly (ReadonlyMap<string, unknown> | undefined)[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const map of maps) for (const name of map?.keys() ?? []) names.add(name);
  return names;
}

const AT_START: readonly FieldPath[] = [START_PATH];
const NO_PATHS: readonly FieldPath[] = [];
const UNSET: Field = [{ kind: 'unknown' }];

/** Unites alternative parameter lists position by position. */
export function unitePositionals(
  lists: readonly (PositionalParameters | null)[],
): PositionalParameters | null {
  const [first = null] = lists;
  if (lists.every((list) => list === first)) return first;
  const known = lists.filter((list) => list !== null);
  if (known.length < lists.length) return null;
  const length = Math.max(...known.map((list) => list.length));
  return Array.from({ length }, (_, index) =>
    distinctFields(
      known.flatMap((list) => list[index] ?? []),
      MAX_LISTED_VALUES,
    ),
  );
}

// With more directories the combinations grow too fast; the first one and whole base directories are kept.
const MAX_CWD = 8;

/** Unites lists of alternative directories without duplicates. */
export function uniteDirectories(lists: readonly (readonly FieldPath[])[]): readonly FieldPath[] {
  const [first = []] = lists;
  if (lists.every((list) => list === first)) return first;
  const byKey = new Map<string, FieldPath>();
  for (const path of lists.flat())
    byKey.set(`${path.base} ${path.up} ${fieldKey(fromFieldPath(path))}`, path);
  const all = [...byKey.values()];
  return all.length <= MAX_CWD ? all : all.filter((path, index) => path.names.length === 0 || index === 0);
}

function isSameField(text: Field, other: Field | undefined): boolean {
  return other === text || (other !== undefined && fieldKey(other) === fieldKey(text));
}

/** Returns the value of `IFS`, or the default separators when it is unknown. */
export function readIfs(state: ScriptState): string {
  const value = state.get('variable', 'IFS')?.options.at(-1);
  return (value === undefined ? null : toLiteral(getElement(value, '0'))) ?? ' \t\n';
}

interface VariableAssignment {
  readonly values: readonly VariableValue[];
  readonly append: boolean;
}

/** Sets a variable to one of several alternative values. */
export function setVariable(state: ScriptState, name: string, { values, append }: VariableAssignment): void {
  const old = state.get('variable', name);
  if (old?.target !== undefined && old.target !== name) {
    setVariable(state, old.target, { values, append });
    return;
  }
  const letterCase = old?.letterCase;
  const options = append
    ? (old?.options ?? [[]]).flatMap((value) => values.map((more) => appendOrSetElement(value, more)))
    : values;
  state.set('variable', name, {
    ...(letterCase === undefined ? {} : { letterCase }),
    options: uniteValues(
      options.map((value) =>
        limitValue(
          isArrayValue(value) || letterCase === undefined ? value : changeLetterCase(value, letterCase),
        ),
      ),
      append ? MAX_VALUES : MAX_LISTED_VALUES,
    ),
  });
}

function limitValue(value: VariableValue): VariableValue {
  if (isArrayValue(value)) return value;
  const [first] = value;
  return first?.kind === 'mix' && first.words.length > MAX_STORED_MIX ? OVERFLOW_FIELD : value;
}

function appendOrSetElement(old: VariableValue, added: VariableValue): VariableValue {
  if (isArrayValue(added) && added.items.size === 1) {
    const [key] = added.items.keys();
    // `a[3]=x` replaces one element; `a+=(x)` always starts at 0.
    if (key !== undefined && key !== '0') return setElements(old, added);
  }
  return appendValue(old, added);
}

/** Returns an array with some elements replaced. */
export function setElements(old: VariableValue, added: VariableValue): VariableValue {
  const items = new Map(isArrayValue(old) ? old.items : []);
  if (isArrayValue(added)) for (const [key, field] of added.items) items.set(key, field);
  return { items };
}
