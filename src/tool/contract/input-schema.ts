import { NacreError } from '../../errors.ts';
import { describeValue, didYouMean, isRecord } from '../../validator.ts';
import type { CallInput } from './hooks.ts';

/** JSON Schema, as much of it as our input needs: data that a caller passes on to a model. */
export interface InputSchema {
  readonly type: 'object';
  readonly required: readonly string[];
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, FieldSchema>>;
}

/** What a value may be. */
export interface ValueSchema {
  /** Absent where there are several possibilities. */
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';
  readonly enum?: readonly (string | boolean)[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** Of an object without `properties`: what its values are. */
  readonly additionalProperties?: false | { readonly type: 'string' };
  /** Of an object with names of its own. */
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  /** Of a list. */
  readonly items?: ValueSchema;
  readonly anyOf?: readonly ValueSchema[];
}

export interface FieldSchema extends ValueSchema {
  readonly description: string;
}

/** Whether a value is of this kind at all, whatever is inside it. */
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
      // NaN and the like are clamped later: what came as a number is taken as one.
      return typeof value === 'number' && isWithinBounds(value, schema);
    default:
      return schema.anyOf?.some((each) => matchesSchemaType(value, each)) ?? false;
  }
}

/** What a field takes, as an error says it. */
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

/** The fields of an input that fits the schema, without those that are `null`; everything else is refused by name. */
export function parseSchemaInput(input: unknown, schema: InputSchema): CallInput {
  if (!isRecord(input)) throw badInputError('input', `expected an object, got ${describeValue(input)}`);
  return checkFields(input, { path: '', owner: 'this tool', ...schema });
}

/** A tool error about one field. */
export function badInputError(field: string, problem: string): NacreError {
  return new NacreError('bad_input', { field, problem });
}

/** The fields of an object, and where in the input it is. */
interface ObjectShape {
  readonly path: string;
  /** Whose fields they are, in words. */
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

/** The value without what is `null` in it. */
function checkValue(path: string, { value, schema: given }: CheckedValue): unknown {
  // Of several possibilities the one of its kind is meant; what is wrong inside it is then said of that one.
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

/** What cannot be handed to a process as it is: NUL ends a string there, half a character has no bytes. */
function checkPassableText(name: string, text: string): void {
  if (text.includes('\0'))
    throw badInputError(name, 'holds a NUL character, which no command or value can carry');
  if (/\p{Surrogate}/u.test(text)) throw badInputError(name, 'holds half a character (a lone surrogate)');
}

function renderUnknownField(name: string, { owner, properties }: ObjectShape): string {
  const known = Object.keys(properties);
  return `is not a field of ${owner}.${didYouMean(name, known)} It takes ${known.join(', ')}.`;
}
