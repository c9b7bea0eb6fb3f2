import { OVERFLOW } from '../words/atom.ts';
import { MAX_KEPT } from '../words/join.ts';
import type { State } from './state.ts';
import type { Value, Variable } from './value.ts';
import { appendValue, isArray, MAX_LISTED, MAX_OPTIONS, uniteOptions, withLetters } from './value.ts';

interface Setting {
  readonly values: readonly Value[];
  readonly append: boolean;
}

/** Sets a variable to one of several values. */
export function setVariable(state: State, name: string, { values, append }: Setting): void {
  const old = state.get('variable', name);
  if (old?.target !== undefined && old.target !== name) {
    setVariable(state, old.target, { values, append });
    return;
  }
  const letters: Pick<Variable, 'letters'> = old?.letters === undefined ? {} : { letters: old.letters };
  const options = append
    ? (old?.options ?? [[]]).flatMap((value) => values.map((more) => grow(value, more)))
    : values;
  state.set('variable', name, {
    ...letters,
    options: uniteOptions(
      options.map((value) => keepSmall(withLetters(value, old?.letters))),
      append ? MAX_OPTIONS : MAX_LISTED,
    ),
  });
}

function keepSmall(value: Value): Value {
  if (isArray(value)) return value;
  const [first] = value;
  return first?.kind === 'mix' && first.words.length > MAX_KEPT ? OVERFLOW : value;
}

function grow(old: Value, added: Value): Value {
  if (isArray(added) && added.items.size === 1) {
    const [key] = added.items.keys();
    // `a[3]=x` replaces one element; `a+=(x)` always starts at 0.
    if (key !== undefined && key !== '0') return put(old, added);
  }
  return appendValue(old, added);
}

export function put(old: Value, added: Value): Value {
  const items = new Map(isArray(old) ? old.items : []);
  if (isArray(added)) for (const [key, field] of added.items) items.set(key, field);
  return { items };
}
