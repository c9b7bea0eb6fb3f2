import type { Value } from '../state/value.ts';
import { element } from '../state/value.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, placeField, toField, UNKNOWN } from '../words/atom.ts';
import { pathField, START } from '../words/path.ts';
import type { Expansion } from './expansion.ts';

/** The value a variable has in this pass. What the script has not set may be anything. */
export function lookup(name: string, expander: Expansion): Value {
  const { frame, choices } = expander;
  const variable = frame.state.get('variable', name);
  if (variable === undefined) return initialValue(name, expander);
  if (variable.target !== undefined && variable.target !== name) return lookup(variable.target, expander);
  return variable.options[choices.pick(`$${name}`, variable.options.length)] ?? UNKNOWN;
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
    return pathField(cwd[choices.pick('PWD', cwd.length)] ?? START);
  }
  return INITIAL[name] ?? UNKNOWN;
}

/** Positional parameters; `null` where nobody knows them. */
export function positional(frame: Expansion['frame']): readonly Field[] | null {
  return frame.state.positional;
}

/** `$1`, `$#`, `$0` and the like; `null` for names of variables. */
export function special(name: string, { frame }: Expansion): Field | null {
  const list = positional(frame);
  if (/^[1-9]\d*$/.test(name)) return list === null ? UNKNOWN : (list[Number(name) - 1] ?? []);
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
