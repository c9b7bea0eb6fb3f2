import { expect, test } from 'vitest';
import { createBash } from '../../../../src/index.ts';
import {
  fromStrictInput,
  toNullableSchema,
  toStrictSchema,
  withoutNulls,
} from '../../../../src/surfaces/adapters/shared/strict-schema.ts';
import { parseSchemaInput } from '../../../../src/tool/contract/input-schema.ts';

const { tool, jobTool } = createBash();

/** Every object of a schema, with where it is. */
function objectsOf(schema: unknown, path = '$'): [string, Record<string, unknown>][] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inner = Object.entries(schema).flatMap(([key, value]) => objectsOf(value, `${path}.${key}`));
  return 'type' in schema && schema.type === 'object' ? [[path, { ...schema }], ...inner] : inner;
}

test.each([tool, jobTool].flatMap((each) => each ?? []))(
  '$name: a strict schema is closed and requires every field',
  ({ inputSchema }) => {
    const objects = objectsOf(toStrictSchema(inputSchema));
    expect(objects.length).toBeGreaterThan(0);
    for (const [path, { properties, required, additionalProperties }] of objects) {
      expect(additionalProperties, path).toBe(false);
      expect(required, path).toEqual(Object.keys(properties as object));
    }
  },
);

test('optional fields may be null, required ones may not', () => {
  const { properties } = toStrictSchema(tool.inputSchema);
  expect(properties.command).toMatchObject({ type: 'string' });
  expect(properties.timeout).toMatchObject({ anyOf: [{ type: 'number' }, { type: 'null' }] });
  expect(properties.stdin).toMatchObject({
    anyOf: [{ type: 'string' }, { type: 'object' }, { type: 'null' }],
  });
  expect(toNullableSchema(tool.inputSchema)).toMatchObject({
    required: ['command'],
    properties: { env: { anyOf: [{ type: 'object' }, {}] } },
  });
});

test('what a strict schema brings in is what the tool takes', () => {
  const nothing = Object.fromEntries(Object.keys(tool.inputSchema.properties).map((name) => [name, null]));
  const env = [
    { name: 'A', value: '1' },
    { name: '__proto__', value: '2' },
  ];
  const given = fromStrictInput({ ...nothing, command: 'ls', env });
  const checked = parseSchemaInput(given, tool.inputSchema);
  expect(checked).toEqual({ command: 'ls', env: { A: '1', ['__proto__']: '2' } });
  expect(Object.keys(checked.env as object)).toEqual(['A', '__proto__']);
});

test('what is no list of pairs is left for the tool to refuse', () => {
  for (const env of [{ A: '1' }, 'A=1', [['A', '1']], [{ name: 'A' }], [null], null])
    expect(fromStrictInput({ env })).toEqual({ env });
  for (const input of [null, 'text', 3, []]) expect(fromStrictInput(input)).toBe(input);
});

test('nulls go, at any depth, and nothing else does', () => {
  expect(withoutNulls({ a: null, b: { c: null, d: [{ e: null, f: 0 }], g: '' }, h: false })).toEqual({
    b: { d: [{ f: 0 }], g: '' },
    h: false,
  });
  expect(withoutNulls(null)).toBe(null);
});
