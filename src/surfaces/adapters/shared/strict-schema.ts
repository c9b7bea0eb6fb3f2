import type { InputSchema, ValueSchema } from '../../../index.ts';

/** A JSON Schema as data for a vendor. */
export type JsonSchema = { readonly [key: string]: unknown };

/** Of an object, in the types that vendors have for it. */
export interface ObjectSchema {
  type: 'object';
  properties: Record<string, Record<string, unknown>>;
  required: string[];
  additionalProperties: false;
}

/**
 * The form that structured outputs ask for: every field is required and may be `null` instead of left out, and no object takes
 * names that the schema does not know. Variables are therefore a list of names and values; see `fromStrictInput`.
 */
export function toStrictSchema(schema: InputSchema): ObjectSchema {
  return toObjectSchema(schema, 'strict');
}

/** The same fields, of which the optional ones may also be `null`: for frameworks that check input before we do. */
export function toNullableSchema(schema: InputSchema): ObjectSchema {
  return toObjectSchema(schema, 'nullable');
}

/** What the model sent by a strict schema, as the tool takes it. Everything but variables fits already. */
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

/** Vendors differ in what they make of a list of types; `anyOf` is understood by all of them. */
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

/** Not a loop of assignments: a variable may be called `__proto__`. */
function toRecord(pairs: readonly NameValuePair[]): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}

/** Input without the fields that are `null`, at any depth: for frameworks that check it before we do. */
export function withoutNulls(input: unknown): unknown {
  if (Array.isArray(input)) return input.map(withoutNulls);
  if (typeof input !== 'object' || input === null) return input;
  const fields = Object.entries(input).filter(([, value]) => value !== null);
  return Object.fromEntries(fields.map(([name, value]) => [name, withoutNulls(value)]));
}
