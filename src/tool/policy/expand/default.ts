import type { ParameterDefaultOperation } from 'unbash';
import { unbash } from '../parse/unbash.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, toField, UNKNOWN } from '../words/atom.ts';
import { concat } from '../words/join.ts';
import type { Expansion } from './expansion.ts';
import { isUnknown } from './lookup.ts';
import { changeLetters } from './reshape.ts';

interface Defaulted {
  readonly field: Field;
  readonly name: string;
  readonly operation: ParameterDefaultOperation;
}

/** `${x:-y}` and its kin. A value nobody knows may be there or not. */
export function defaultField({ field, name, operation }: Defaulted, expander: Expansion): Field {
  const { operator, operand } = operation;
  if (expander.choices.together && isUnknown(field) && !operator.endsWith('?'))
    return expander.choices.all([operator.endsWith('+') ? [] : field, expander.single(operand)]);
  const isSet = isUnknown(field)
    ? expander.choices.pick(`${name} is set`, 2) === 0
    : field.length > 0 || !operator.startsWith(':');
  if (operator.endsWith('?')) return field;
  if (operator.endsWith('+')) return isSet ? expander.single(operand) : [];
  if (isSet) return field;
  const value = expander.single(operand);
  if (operator.endsWith('=')) expander.frame.state.set('variable', name, { options: [value] });
  return value;
}

/** `${x@P}` and its kin. */
export function transform(field: Field, operator: string, expander: Expansion): Field {
  if (operator === 'P') {
    // Substitutions in the value are run, as in a prompt.
    expander.machine.runTexts([concat(toField(': <<_\n'), field, toField('\n_\n'))], expander.frame);
    return field;
  }
  if (operator === 'U') return changeLetters(field, '^^');
  if (operator === 'L') return changeLetters(field, ',,');
  if (operator === 'u') return changeLetters(field, '^');
  const text = literalOf(field);
  if (text === null) return UNKNOWN;
  if (operator === 'E') return toField(unescapeAnsi(text));
  return operator === 'Q' ? toField(`'${text.replaceAll("'", "'\\''")}'`) : UNKNOWN;
}

/** The escapes of `$'…'`. */
export function unescapeAnsi(text: string): string {
  if (!text.includes('\\')) return text;
  const [statement] = unbash().parse(`$'${text.replaceAll("'", "\\'")}'`).commands;
  return statement?.command.type === 'Command' ? (statement.command.name?.value ?? text) : text;
}
