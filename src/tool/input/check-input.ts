import { NacreError } from '../../errors.ts';
import type { CallInput } from '../hooks.ts';
import { describeValue } from './describe-value.ts';
import { nearestName } from './nearest-name.ts';
import type { FieldSchema, InputSchema } from './schema.ts';

/** The fields of an input that fits the schema, without those that are `null`; everything else is refused by name. */
export function checkInput(input: unknown, schema: InputSchema): CallInput {
  if (!isRecord(input)) throw badInput('input', `expected an object, got ${describeValue(input)}`);
  const given = Object.entries(input).filter(([name, value]) => !isLeftOut(value) || isUnknown(name, schema));
  for (const [name, value] of given) checkField({ name, value, schema });
  const missing = schema.required.find((name) => isLeftOut(input[name]));
  if (missing !== undefined)
    throw badInput(missing, `is required: ${expectation(schema.properties[missing])}`);
  return Object.fromEntries(given);
}

function isLeftOut(value: unknown): boolean {
  return value === null || value === undefined;
}

function isUnknown(name: string, schema: InputSchema): boolean {
  return !Object.hasOwn(schema.properties, name);
}

/** A tool error about one field. */
export function badInput(field: string, problem: string): NacreError {
  return new NacreError('bad_input', { field, problem });
}

function checkField({ name, value, schema }: { name: string; value: unknown; schema: InputSchema }): void {
  const field = isUnknown(name, schema) ? undefined : schema.properties[name];
  if (field === undefined) throw badInput(name, unknownField(name, Object.keys(schema.properties)));
  if (!fits(field, value))
    throw badInput(name, `expected ${expectation(field)}, got ${describeValue(value)}`);
  if (field.type === 'string') checkText(name, value as string);
  if (field.type === 'object') checkTexts(name, value as object);
}

function checkTexts(name: string, texts: object): void {
  for (const [key, text] of Object.entries(texts)) {
    const path = `${name}.${key}`;
    if (typeof text !== 'string') throw badInput(path, `expected text, got ${describeValue(text)}`);
    checkText(path, text);
  }
}

function fits(field: FieldSchema, value: unknown): boolean {
  switch (field.type) {
    case 'string':
      return typeof value === 'string' && (field.enum?.includes(value) ?? true);
    case 'boolean':
      return typeof value === 'boolean';
    case 'object':
      return isRecord(value);
    case 'integer':
      return Number.isSafeInteger(value) && (value as number) >= (field.minimum ?? Number.NEGATIVE_INFINITY);
    case 'number':
      // NaN and the like are clamped later: what came as a number is taken as one.
      return typeof value === 'number';
  }
}

/** What cannot be handed to a process as it is: NUL ends a string there, half a character has no bytes. */
function checkText(name: string, text: string): void {
  if (text.includes('\0')) throw badInput(name, 'holds a NUL character, which no command or value can carry');
  if (/\p{Surrogate}/u.test(text)) throw badInput(name, 'holds half a character (a lone surrogate)');
}

function expectation(field: FieldSchema | undefined): string {
  if (field?.enum !== undefined)
    return `one of ${field.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  switch (field?.type) {
    case 'integer':
      return field.minimum === undefined ? 'a whole number' : `a whole number from ${field.minimum}`;
    case 'number':
      return 'a number';
    case 'boolean':
      return 'true or false';
    case 'object':
      return 'an object of names and texts';
    default:
      return 'text';
  }
}

function unknownField(name: string, known: readonly string[]): string {
  const meant = nearestName(name, known);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return `is not a field of this tool.${hint} It takes ${known.join(', ')}.`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
