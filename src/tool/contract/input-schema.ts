import { NacreError } from '../../errors.ts';
import { describeValue, didYouMean, isRecord } from '../../validator.ts';
import type { CallInput } from './hooks.ts';

/** The subset of JSON Schema that the tools use for their input. */
export interface InputSchema {
  readonly type: 'object';
  readonly required: readonly string[];
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, FieldSchema>>;
}

/** Schema of a value. */
export interface ValueSchema {
  /** Absent when `anyOf` is set. */
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';
  readonly enum?: readonly (string | boolean)[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** Schema of the values of an object without `properties`. */
  readonly additionalProperties?: false | { readonly type: 'string' };
  /** Fields of an object. */
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  /** Schema of the entries of an array. */
  readonly items?: ValueSchema;
  readonly anyOf?: readonly ValueSchema[];
}

export interface FieldSchema extends ValueSchema {
  readonly description: string;
}

/** Whether a value has the type of a schema; nested values are not checked. */
export function matchesSchemaType(value: unknown, schema: ValueSchema): boolean {
  switch (schema.type) {
    case 'string':
    case 'boolean':
      return typeof value === schema.type && isInEnum(value, schema);
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isSafeInteger(value) && isWithinBounds(value as number, schema);
    case 'number':
      // NaN and infinite values are clamped later.
      return typeof value === 'number' && isWithinBounds(value, schema);
    default:
      return schema.anyOf?.some((each) => matchesSchemaType(value, each)) ?? false;
  }
}

/** Describes the expected type in an error message. */
export function renderExpectedType(schema: ValueSchema | undefined): string {
  if (schema?.enum !== undefined) return renderChoices(schema.enum);
  switch (schema?.type) {
    case 'integer':
      return `a whole number${renderBounds(schema)}`;
    case 'number':
      return `a number${renderBounds(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'object':
      return schema.properties === undefined
        ? 'an object of names and texts'
        : `an object with ${Object.keys(schema.properties).join(', ')}`;
    case 'array':
      return 'a list of texts';
    default:
      return schema?.anyOf?.map(renderExpectedType).join(' or ') ?? 'text';
  }
}

function isInEnum(value: unknown, { enum: listed }: ValueSchema): boolean {
  return listed?.some((each) => each === value) ?? true;
}

function isWithinBounds(value: number, { minimum, maximum }: ValueSchema): boolean {
  return !(minimum !== undefined && !(value >= minimum)) && !(maximum !== undefined && !(value <= maximum));
}

function renderBounds({ minimum, maximum }: ValueSchema): string {
  return (minimum === undefined ? '' : ` from ${minimum}`) + (maximum === undefined ? '' : ` to ${maximum}`);
}

function renderChoices(choices: readonly (string | boolean)[]): string {
  const words = choices.map((value) => JSON.stringify(value)).join(', ');
  return choices.length === 1 ? words : `one of ${words}`;
}

/**
 * Validates an input and returns its fields without those that are `null`.
 *
 * @throws {NacreError} `bad_input` with the name of the field
 */
export function parseSchemaInput(input: unknown, schema: InputSchema): CallInput {
  if (!isRecord(input)) throw badInputError('input', `expected an object, got ${describeValue(input)}`);
  return checkFields(input, { path: '', owner: 'this tool', ...schema });
}

/** Creates a `bad_input` error about one field. */
export function badInputError(field: string, problem: string): NacreError {
  return new NacreError('bad_input', { field, problem });
}

/** The schema of an object and its path in the input. */
interface ObjectShape {
  readonly path: string;
  /** Name of the object in error messages. */
  readonly owner: string;
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required: readonly string[];
}

function checkFields(value: Readonly<Record<string, unknown>>, shape: ObjectShape): CallInput {
  const { path, properties, required } = shape;
  const fields: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(value)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) throw badInputError(path + name, renderUnknownField(name, shape));
    if (!isOmitted(entry)) fields[name] = checkValue(path + name, { value: entry, schema });
  }
  const missing = required.find((name) => isOmitted(value[name]));
  if (missing !== undefined)
    throw badInputError(path + missing, `is required: ${renderExpectedType(properties[missing])}`);
  return fields;
}

function isOmitted(value: unknown): boolean {
  return value === null || value === undefined;
}

interface CheckedValue {
  readonly value: unknown;
  readonly schema: ValueSchema;
}

/** Returns the value without fields that are `null`. */
function checkValue(path: string, { value, schema: given }: CheckedValue): unknown {
  // Errors inside the value refer to the alternative that has its type.
  const schema = given.anyOf?.find((each) => matchesSchemaType(value, each)) ?? given;
  if (!matchesSchemaType(value, schema))
    throw badInputError(path, `expected ${renderExpectedType(given)}, got ${describeValue(value)}`);
  if (typeof value === 'string') checkPassableText(path, value);
  if (Array.isArray(value)) return checkList(path, { value, items: schema.items ?? {} });
  if (!isRecord(value)) return value;
  const { properties, required = [] } = schema;
  if (properties !== undefined)
    return checkFields(value, { path: `${path}.`, owner: path, properties, required });
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

/**
 * Rejects text that cannot be passed to a process: NUL terminates a C string, and a lone surrogate has no UTF-8
 * form.
 */
function checkPassableText(name: string, text: string): void {
  if (text.includes('\0'))
    throw badInputError(name, 'holds a NUL character, which no command or value can carry');
  if (/\p{Surrogate}/u.test(text)) throw badInputError(name, 'holds half a character (a lone surrogate)');
}

function renderUnknownField(name: string, { owner, properties }: ObjectShape): string {
  const known = Object.keys(properties);
  return `is not a field of ${owner}.${didYouMean(name, known)} It takes ${known.join(', ')}.`;
}
