import type { InputSchema, ValueSchema } from '../../../index.ts';

/** A JSON Schema in vendor form. */
export type JsonSchema = { readonly [key: string]: unknown };

/** A JSON Schema of an object, in the mutable types of the vendors. */
export interface ObjectSchema {
  type: 'object';
  properties: Record<string, Record<string, unknown>>;
  required: string[];
  additionalProperties: false;
}

/**
 * Converts a schema to the form of structured outputs: every field is required and nullable, and no object
 * accepts unknown names. Environment variables are therefore a list of name-value pairs; see `fromStrictInput`.
 */
export function toStrictSchema(schema: InputSchema): ObjectSchema {
  return toObjectSchema(schema, 'strict');
}

/** Makes the optional fields nullable, for frameworks that validate input first. */
export function toNullableSchema(schema: InputSchema): ObjectSchema {
  return toObjectSchema(schema, 'nullable');
}

/** Converts input of a strict schema to input of the tool; only environment variables differ. */
export function fromStrictInput(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('env' in input)) return input;
  const { env } = input;
  return Array.isArray(env) && env.every(isNameValuePair) ? { ...input, env: toRecord(env) } : input;
}

type SchemaForm = 'strict' | 'nullable';

function toObjectSchema(
  { properties = {}, required = [] }: Pick<ValueSchema, 'properties' | 'required'>,
  form: SchemaForm,
): ObjectSchema {
  const fields = Object.entries(properties).map(([name, { description, ...value }]) => {
    const inner = toValueSchema(value, form);
    return [name, { description, ...(required.includes(name) ? inner : toNullable(inner)) }] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    required: form === 'strict' ? Object.keys(properties) : [...required],
    additionalProperties: false,
  };
}

function toValueSchema(value: ValueSchema, form: SchemaForm): JsonSchema {
  const { anyOf, items, properties } = value;
  if (anyOf !== undefined) return { anyOf: anyOf.map((each) => toValueSchema(each, form)) };
  if (items !== undefined) return { ...value, items: toValueSchema(items, form) };
  if (properties !== undefined) return { ...toObjectSchema(value, form) };
  return value.type === 'object' && form === 'strict' ? NAME_VALUE_PAIRS_SCHEMA : { ...value };
}

/** `anyOf`, because vendors interpret a list of types differently. */
function toNullable(value: JsonSchema): JsonSchema {
  const choices = Array.isArray(value.anyOf) ? value.anyOf : [value];
  return { anyOf: [...choices, { type: 'null' }] };
}

const NAME_VALUE_PAIRS_SCHEMA: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: { name: { type: 'string' }, value: { type: 'string' } },
    required: ['name', 'value'],
    additionalProperties: false,
  },
};

interface NameValuePair {
  readonly name: string;
  readonly value: string;
}

function isNameValuePair(entry: unknown): entry is NameValuePair {
  const { name, value } = (entry ?? {}) as { readonly name?: unknown; readonly value?: unknown };
  return typeof name === 'string' && typeof value === 'string';
}

/** No assignments: a variable may be called `__proto__`. */
function toRecord(pairs: readonly NameValuePair[]): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}

/** Removes `null` fields at any depth, for frameworks that validate input first. */
export function withoutNulls(input: unknown): unknown {
  if (Array.isArray(input)) return input.map(withoutNulls);
  if (typeof input !== 'object' || input === null) return input;
  const fields = Object.entries(input).filter(([, value]) => value !== null);
  return Object.fromEntries(fields.map(([name, value]) => [name, withoutNulls(value)]));
}
