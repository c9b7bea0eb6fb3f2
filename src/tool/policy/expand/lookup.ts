import { ownValue } from '../../../engine/text/own-value.ts';
import type { Value } from '../state/value.ts';
import { element, elements, isArray, toArray } from '../state/value.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, placeField, toField, UNKNOWN } from '../words/atom.ts';
import type { Choices } from '../words/choices.ts';
import { pathField, START } from '../words/path.ts';
import type { Expansion } from './expansion.ts';

/** The value a variable has in this pass. What the script has not set may be anything. */
export function lookup(name: string, expander: Expansion): Value {
  const { frame, choices } = expander;
  const variable = frame.state.get('variable', name);
  if (variable === undefined) return initialValue(name, expander);
  if (variable.target !== undefined && variable.target !== name) return lookup(variable.target, expander);
  const { options } = variable;
  if (choices.together && options.length > 1) return allValues(options, choices);
  return options[choices.pick(`$${name}`, options.length)] ?? UNKNOWN;
}

function allValues(options: readonly Value[], choices: Choices): Value {
  if (options.some(isArray)) return toArray(options.flatMap(elements));
  return choices.all(options.flatMap(elements));
}

/** `$name`: an array gives its first element. */
export function lookupField(name: string, expander: Expansion): Field {
  return element(lookup(name, expander), '0');
}

const INITIAL: Readonly<Record<string, Field>> = {
  HOME: placeField('home'),
  USER: placeField('user'),
  LOGNAME: placeField('user'),
  SHELL: toField('/bin/bash'),
  BASH: toField('/bin/bash'),
  IFS: toField(' \t\n'),
  PATH: [{ kind: 'text', text: '/' }, { kind: 'unknown' }],
};

function initialValue(name: string, { frame, choices }: Expansion): Field {
  if (name === 'PWD') {
    const { cwd } = frame.state;
    return choices.field('PWD', (cwd.length === 0 ? [START] : cwd).map(pathField));
  }
  const { cwd, cwdBefore } = frame.state;
  if (name === 'OLDPWD' && cwdBefore !== cwd) return choices.field('OLDPWD', cwdBefore.map(pathField));
  return ownValue(INITIAL, name) ?? UNKNOWN;
}

/** Positional parameters; `null` where nobody knows them. */
export function positional({ frame, choices }: Expansion): readonly Field[] | null {
  const list = frame.state.positional;
  return list?.map((options, index) => choices.field(`$${index + 1}`, options)) ?? null;
}

/** `$1`, `$#`, `$0` and the like; `null` for names of variables. */
export function special(name: string, expander: Expansion): Field | null {
  const { frame, choices } = expander;
  const list = frame.state.positional;
  if (/^[1-9]\d*$/.test(name)) {
    return list === null ? UNKNOWN : choices.field(`$${name}`, list[Number(name) - 1] ?? []);
  }
  if (name === '#') return list === null ? UNKNOWN : toField(String(list.length));
  if (name === '0')
    return (frame.state.get('variable', '0')?.options[0] as Field | undefined) ?? toField('bash');
  return /^[?$!_-]$/.test(name) ? UNKNOWN : null;
}

/** Whether a field is nothing but an unknown value, which might also be empty. */
export function isUnknown(field: Field): boolean {
  return field.length === 1 && field[0]?.kind === 'unknown';
}

/** A whole number, if the field is one. */
export function integerOf(field: Field): number | null {
  const text = literalOf(field)?.trim() ?? '';
  return /^[+-]?\d{1,9}$/.test(text) ? Number(text) : null;
}
