import { ownValue } from '../../engine/text/own-value.ts';
import { NacreError } from '../../errors.ts';
import type { CallInput } from '../hooks.ts';
import { describeValue } from './describe-value.ts';
import { nearestName } from './nearest-name.ts';
import type { FieldSchema, InputSchema, ValueSchema } from './schema.ts';
import { isOfKind, isRecord, renderKind } from './value-kind.ts';

/** The fields of an input that fits the schema, without those that are `null`; everything else is refused by name. */
export function checkInput(input: unknown, schema: InputSchema): CallInput {
  if (!isRecord(input)) throw badInput('input', `expected an object, got ${describeValue(input)}`);
  return checkFields(input, { path: '', of: 'this tool', ...schema });
}

/** A tool error about one field. */
export function badInput(field: string, problem: string): NacreError {
  return new NacreError('bad_input', { field, problem });
}

/** The fields of an object, and where in the input it is. */
interface Shape {
  readonly path: string;
  /** Whose fields they are, in words. */
  readonly of: string;
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required: readonly string[];
}

function checkFields(value: Readonly<Record<string, unknown>>, shape: Shape): CallInput {
  const { path, properties, required } = shape;
  const fields: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(value)) {
    const field = ownValue(properties, name);
    if (field === undefined) throw badInput(path + name, unknownField(name, shape));
    if (!isLeftOut(entry)) fields[name] = checkValue(path + name, { value: entry, schema: field });
  }
  const missing = required.find((name) => isLeftOut(value[name]));
  if (missing !== undefined)
    throw badInput(path + missing, `is required: ${renderKind(properties[missing])}`);
  return fields;
}

function isLeftOut(value: unknown): boolean {
  return value === null || value === undefined;
}

interface Checked {
  readonly value: unknown;
  readonly schema: ValueSchema;
}

/** The value without what is `null` in it. */
function checkValue(path: string, { value, schema: given }: Checked): unknown {
  // Of several possibilities the one of its kind is meant; what is wrong inside it is then said of that one.
  const schema = given.anyOf?.find((each) => isOfKind(value, each)) ?? given;
  if (!isOfKind(value, schema))
    throw badInput(path, `expected ${renderKind(given)}, got ${describeValue(value)}`);
  if (typeof value === 'string') checkText(path, value);
  if (Array.isArray(value)) return checkList(path, { value, items: schema.items ?? {} });
  if (!isRecord(value)) return value;
  const { properties, required = [] } = schema;
  if (properties !== undefined)
    return checkFields(value, { path: `${path}.`, of: path, properties, required });
  for (const [key, text] of Object.entries(value)) {
    checkValue(`${path}.${key}`, { value: text, schema: { type: 'string' } });
  }
  return value;
}

function checkList(
  path: string,
  { value, items }: { readonly value: readonly unknown[]; readonly items: ValueSchema },
): unknown {
  return value.map((entry, at) => checkValue(`${path}[${at}]`, { value: entry, schema: items }));
}

/** What cannot be handed to a process as it is: NUL ends a string there, half a character has no bytes. */
function checkText(name: string, text: string): void {
  if (text.includes('\0')) throw badInput(name, 'holds a NUL character, which no command or value can carry');
  if (/\p{Surrogate}/u.test(text)) throw badInput(name, 'holds half a character (a lone surrogate)');
}

function unknownField(name: string, { of, properties }: Shape): string {
  const known = Object.keys(properties);
  const meant = nearestName(name, known);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return `is not a field of ${of}.${hint} It takes ${known.join(', ')}.`;
}
