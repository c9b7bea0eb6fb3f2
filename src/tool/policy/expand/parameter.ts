import type { ParameterExpansionPart, ParameterOperation } from 'unbash';
import { element, elements, isArray } from '../state/value.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, toField, UNKNOWN } from '../words/atom.ts';
import { concat } from '../words/join.ts';
import { defaultField, transform } from './default.ts';
import type { Expansion, Use } from './expansion.ts';
import { integerOf, lookup, lookupField, positional, special } from './lookup.ts';
import { changeLetters, removeMatch, replaceMatch, sliceText } from './reshape.ts';

/** `$name`, `$1`, `$@`. */
export function expandSimple(name: string, use: Use): readonly Field[] {
  if (name === '@' || name === '*')
    return spread({ fields: allPositional(use.expander), star: name === '*' }, use);
  return [special(name, use.expander) ?? lookupField(name, use.expander)];
}

/** `${name…}` in all its forms. */
export function expandParameter(part: ParameterExpansionPart, use: Use): readonly Field[] {
  const { expander } = use;
  if (part.prefix === '#') return [lengthOf(part, expander)];
  if (part.prefix === '!') return indirect(part, use);
  const list = listOf(part, expander);
  if (list === null) return [operate(scalarOf(part, expander), part, expander)];
  const { operation } = part;
  if (operation?.type === 'Slice')
    return spread({ ...list, fields: sliceList(list.fields, part, expander) }, use);
  const fields =
    operation === undefined ? list.fields : list.fields.map((field) => operate(field, part, expander));
  return spread({ ...list, fields }, use);
}

interface List {
  readonly fields: readonly Field[];
  /** `*` joins its elements where it is quoted, `@` keeps them apart. */
  readonly star: boolean;
}

function spread({ fields, star }: List, { expander, quoted }: Use): readonly Field[] {
  if (!star || !quoted) return fields;
  const separator = toField(expander.ifs.slice(0, 1));
  return [concat(...fields.flatMap((field, index) => (index === 0 ? [field] : [separator, field])))];
}

function allPositional(expander: Expansion): readonly Field[] {
  return positional(expander) ?? [UNKNOWN];
}

function listOf(part: ParameterExpansionPart, expander: Expansion): List | null {
  const { parameter, index } = part;
  if (parameter === '@' || parameter === '*')
    return { fields: allPositional(expander), star: parameter === '*' };
  if (index?.text !== '@' && index?.text !== '*') return null;
  return { fields: elements(lookup(parameter, expander)), star: index.text === '*' };
}

function scalarOf({ parameter, index }: ParameterExpansionPart, expander: Expansion): Field {
  if (index === undefined) return special(parameter, expander) ?? lookupField(parameter, expander);
  const key = literalOf(expander.single(index, 'text'));
  const value = lookup(parameter, expander);
  if (key === null) return UNKNOWN;
  if (!isArray(value) || value.items.has(key) || /^-?\d+$/.test(key)) return element(value, key);
  return element(value, literalOf(lookupField(key, expander)) ?? key);
}

function lengthOf(part: ParameterExpansionPart, expander: Expansion): Field {
  const list = listOf(part, expander);
  if (list !== null) return list.fields.includes(UNKNOWN) ? UNKNOWN : toField(String(list.fields.length));
  const text = literalOf(scalarOf(part, expander));
  return text === null ? UNKNOWN : toField(String(text.length));
}

function indirect(part: ParameterExpansionPart, use: Use): readonly Field[] {
  const { expander } = use;
  if (part.operation?.type === 'Names') return [UNKNOWN];
  if (part.index?.text === '@' || part.index?.text === '*') {
    const value = lookup(part.parameter, expander);
    return isArray(value) ? [...value.items.keys()].map(toField) : [UNKNOWN];
  }
  const name = literalOf(scalarOf(part, expander));
  const element = /^(\w+)\[([@*]|\w+)\]$/.exec(name ?? '');
  if (element?.[1] !== undefined) return elements(lookup(element[1], expander));
  const [field = UNKNOWN, ...others] = name === null ? [UNKNOWN] : expandSimple(name, use);
  return [operate(field, part, expander), ...others];
}

function operate(field: Field, part: ParameterExpansionPart, expander: Expansion): Field {
  const { operation } = part;
  if (operation === undefined) return field;
  switch (operation.type) {
    case 'Default':
      return defaultField({ field, name: part.parameter, operation }, expander);
    case 'Remove':
      return removeMatch(field, {
        operator: operation.operator,
        pattern: expander.pattern(operation.operand),
      });
    case 'Replace':
      return replaced(field, operation, expander);
    case 'Slice':
      return sliceText(field, bounds(operation, expander));
    case 'CaseModification':
      return changeLetters(field, operation.operator);
    case 'Transform':
      return transform(field, operation.operand.text, expander);
    default:
      return UNKNOWN;
  }
}

function replaced(
  field: Field,
  operation: Extract<ParameterOperation, { type: 'Replace' }>,
  expander: Expansion,
): Field {
  const pattern = expander.pattern(operation.pattern);
  const replacement = expander.single(operation.replacement, 'text');
  return replaceMatch(field, { operator: operation.operator, pattern, replacement });
}

function bounds(
  operation: Extract<ParameterOperation, { type: 'Slice' }>,
  expander: Expansion,
): { readonly offset: number | null; readonly length: number | null | undefined } {
  return {
    offset: integerOf(expander.single(operation.offset, 'text')),
    length: operation.length && integerOf(expander.single(operation.length, 'text')),
  };
}

function sliceList(
  fields: readonly Field[],
  part: ParameterExpansionPart,
  expander: Expansion,
): readonly Field[] {
  if (part.operation?.type !== 'Slice') return fields;
  const { offset, length } = bounds(part.operation, expander);
  if (offset === null || length === null) return [UNKNOWN];
  const isPositional = part.parameter === '@' || part.parameter === '*';
  const all = isPositional ? [toField('bash'), ...fields] : fields;
  const start = offset < 0 ? all.length + offset : offset;
  return all.slice(start, length === undefined ? undefined : start + length);
}
