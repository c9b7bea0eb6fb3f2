import type { Field } from '../words/atom.ts';
import { fieldKey, literalOf, toField } from '../words/atom.ts';
import { concat, distinct } from '../words/join.ts';

/** An array of the script: its elements by index or key. */
export interface ArrayValue {
  readonly items: ReadonlyMap<string, Field>;
}

export type Value = Field | ArrayValue;

/** How many values of one variable are told apart. */
export const MAX_OPTIONS = 16;

/** How many, where they were written out one by one. */
export const MAX_LISTED = 256;

/** What a variable may hold: one of these. */
export interface Variable {
  readonly options: readonly Value[];
  /** `declare -l` and `-u` change what is assigned later. */
  readonly letters?: 'lower' | 'upper';
  /** `declare -n`: another variable's name. */
  readonly target?: string;
}

export function isArray(value: Value): value is ArrayValue {
  return 'items' in value;
}

export function toArray(fields: readonly Field[]): ArrayValue {
  return { items: new Map(fields.map((field, index) => [String(index), field])) };
}

/** The elements of an array, or the one value of anything else. */
export function elements(value: Value): readonly Field[] {
  return isArray(value) ? [...value.items.values()] : [value];
}

export function element(value: Value, key: string): Field {
  if (!isArray(value)) return key === '0' ? value : [];
  if (/^-\d+$/.test(key)) return [...value.items.values()].at(Number(key)) ?? [];
  return value.items.get(key) ?? [];
}

/** `x+=value`: text grows at its end, an array by elements. */
export function appendValue(old: Value, added: Value): Value {
  if (!isArray(old) && !isArray(added)) return concat(old, added);
  const items = new Map(isArray(old) ? old.items : toArray(elements(old)).items);
  if (!isArray(added)) return { items: items.set('0', concat(items.get('0') ?? [], added)) };
  for (const field of added.items.values()) items.set(String(nextIndex(items)), field);
  return { items };
}

function nextIndex(items: ReadonlyMap<string, Field>): number {
  let next = 0;
  for (const key of items.keys()) if (/^\d+$/.test(key)) next = Math.max(next, Number(key) + 1);
  return next;
}

/** All that several variables may hold. */
export function uniteOptions(options: readonly Value[], limit: number = MAX_OPTIONS): readonly Value[] {
  if (options.length < 2) return options;
  const arrays = new Map<string, Value>();
  const fields: Field[] = [];
  for (const value of options) {
    if (isArray(value))
      arrays.set([...value.items].map(([key, field]) => `${key}=${fieldKey(field)}`).join('\n'), value);
    else fields.push(value);
  }
  const scalars = distinct(fields, limit);
  if (arrays.size <= MAX_OPTIONS) return [...scalars, ...arrays.values()];
  const all = distinct([...arrays.values()].flatMap(elements), MAX_LISTED);
  return [...scalars, toArray(all)];
}

/** Applies `declare -l` and `-u`. */
export function withLetters(value: Value, letters: Variable['letters']): Value {
  if (letters === undefined || isArray(value)) return value;
  const text = literalOf(value);
  if (text === null) return value;
  return toField(letters === 'lower' ? text.toLowerCase() : text.toUpperCase());
}
