import { expect, test } from 'vitest';
import { NacreError } from '../../../../src/errors.ts';
import { checkCommandLength } from '../../../../src/tool/call/perform-call.ts';
import type { InputSchema } from '../../../../src/tool/contract/input-schema.ts';
import { parseSchemaInput } from '../../../../src/tool/contract/input-schema.ts';

const SCHEMA: InputSchema = {
  type: 'object',
  required: ['command'],
  additionalProperties: false,
  properties: {
    command: { type: 'string', description: '' },
    mode: { type: 'string', enum: ['default', 'slow'], description: '' },
    timeout: { type: 'number', description: '' },
    head: { type: 'integer', minimum: 1, description: '' },
    async: { type: 'boolean', description: '' },
    env: { type: 'object', description: '', additionalProperties: { type: 'string' } },
  },
};

function refusal(input: unknown): string {
  try {
    parseSchemaInput(input, SCHEMA);
  } catch (error) {
    expect(error).toBeInstanceOf(NacreError);
    expect((error as NacreError).code).toBe('bad_input');
    return (error as NacreError).message;
  }
  return 'accepted';
}

test('what fits comes back as it is', () => {
  const input = { command: 'ls', mode: 'slow', timeout: 2.5, head: 3, async: false, env: { A: '1' } };
  expect(parseSchemaInput(input, SCHEMA)).toEqual(input);
});

test('an optional field may be null or undefined, and then is not there', () => {
  const input = { command: 'ls', mode: null, timeout: null, head: undefined, async: null, env: null };
  expect(parseSchemaInput(input, SCHEMA)).toEqual({ command: 'ls' });
});

test.each([
  [null, 'input: expected an object, got null'],
  ['ls', 'input: expected an object, got the text "ls"'],
  [['ls'], 'input: expected an object, got a list of 1'],
  [{}, 'command: is required: text'],
  [{ command: null }, 'command: is required: text'],
  [{ command: 7 }, 'command: expected text, got the number 7'],
  [{ command: 'ls', timeout: '60' }, 'timeout: expected a number, got the text "60"'],
  [{ command: 'ls', mode: 'fast' }, 'mode: expected one of "default", "slow", got the text "fast"'],
  [{ command: 'ls', head: 0 }, 'head: expected a whole number from 1, got the number 0'],
  [{ command: 'ls', head: 1.5 }, 'head: expected a whole number from 1, got the number 1.5'],
  [{ command: 'ls', async: 'yes' }, 'async: expected true or false, got the text "yes"'],
  [{ command: 'ls', env: ['A=1'] }, 'env: expected an object of names and texts, got a list of 1'],
  [{ command: 'ls', env: { PORT: 80 } }, 'env.PORT: expected text, got the number 80'],
])('%j is refused with the field, what it got and what it takes', (input, message) => {
  expect(refusal(input)).toBe(message);
});

test('an unknown field is named, with the one that was probably meant', () => {
  const takes = 'It takes command, mode, timeout, head, async, env.';
  expect(refusal({ command: 'ls', timeuot: 5 })).toBe(
    `timeuot: is not a field of this tool. Did you mean 'timeout'? ${takes}`,
  );
  expect(refusal({ command: 'ls', elephants: 5 })).toBe(`elephants: is not a field of this tool. ${takes}`);
  expect(refusal({ command: 'ls', elephants: null })).toContain('elephants: is not a field');
});

test('a field of the prototype is an unknown field', () => {
  expect(refusal({ command: 'ls', toString: 'x' })).toContain('toString: is not a field');
  expect(refusal(JSON.parse('{"command":"ls","__proto__":"x"}'))).toContain('__proto__: is not a field');
});

test('NUL and half characters are refused wherever text is', () => {
  expect(refusal({ command: 'ls\0' })).toContain('command: holds a NUL character');
  expect(refusal({ command: 'ls', env: { A: '\0' } })).toContain('env.A: holds a NUL character');
  expect(refusal({ command: 'echo \ud83d' })).toContain('command: holds half a character');
  expect(parseSchemaInput({ command: 'echo 😀' }, SCHEMA)).toEqual({ command: 'echo 😀' });
});

test('numbers out of any range are still numbers: the limit is clamped elsewhere', () => {
  for (const timeout of [Number.NaN, Number.POSITIVE_INFINITY, -5]) {
    expect(parseSchemaInput({ command: 'ls', timeout }, SCHEMA)).toEqual({ command: 'ls', timeout });
  }
});

test('a very long value is named by its first characters only', () => {
  expect(refusal({ command: 'ls', timeout: 'x'.repeat(10_000) }).length).toBeLessThan(200);
});

test.each(['', ' ', '\n\t '])('a blank command (%j) is refused', (command) => {
  expect(() => checkCommandLength(command, 10)).toThrow(
    'command: is empty; it takes the shell command to run',
  );
});

test('a command longer than the profile takes is refused with a way out', () => {
  expect(() => checkCommandLength('x'.repeat(240_001), 240_000)).toThrow(
    'command: has 240,001 characters and may have 240,000: write it to a file, then run the file',
  );
  expect(() => checkCommandLength('x'.repeat(240_000), 240_000)).not.toThrow();
});
