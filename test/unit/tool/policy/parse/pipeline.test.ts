import { describe, expect, test } from 'vitest';
import { splitTrailingLimit } from '../../../../../src/tool/syntax/command-affixes.ts';
import { endsInPipeline } from '../../../../../src/tool/syntax/ends-in-pipeline.ts';

describe('a trailing limit is removed', () => {
  test.each([
    ['npm test | head -n 5', { command: 'npm test', head: 5 }],
    ['npm test | head -5', { command: 'npm test', head: 5 }],
    ['npm test 2>&1 | tail -n 20', { command: 'npm test 2>&1', tail: 20 }],
    ['npm test|tail -20', { command: 'npm test', tail: 20 }],
    ['a | b | tail -3 # last lines', { command: 'a | b', tail: 3 }],
    ['a | head -20 | tail -5', { command: 'a', head: 20, tail: 5 }],
    ['a | tail -5 | head -2', { command: 'a | tail -5', head: 2 }],
    ['{ a; b; } | head -n 0', { command: '{ a; b; }', head: 0 }],
  ])('%s', (command, expected) => {
    expect(splitTrailingLimit(command)).toEqual(expected);
  });
});

describe('a limit that does not apply to the whole output stays', () => {
  test.each([
    'a && b | head -5',
    'a; b | head -5',
    'a\nb | head -5',
    'a | head -5 &',
    '! a | head -5',
    'time a | head -5',
    'a |& head -5',
    'a | head',
    'a | head -c 5',
    'a | head -n -5',
    'a | tail -n +5',
    'a | tail -f -5',
    'a | head -n 5 file',
    'a | head -5 > out',
    'a | head "-5"',
    'a | X=1 head -5',
    'a | head -$N',
    "echo 'a | head -5'",
    'cat <<E | head -5\na\nE',
    'head -5 f',
    'a | (head -5)',
    'x=$(a | head -5)',
  ])('%s', (command) => {
    expect(splitTrailingLimit(command)).toBeNull();
  });
});

describe('the last statement is a pipeline', () => {
  test.each([
    'a | b',
    'a; b | c',
    'a\nb |& c',
    'time a | b',
    'a && b | c',
    'x() { exec 3<f; }; a | b | c',
    "trap 'x' INT; a | b",
  ])('%s', (command) => {
    expect(endsInPipeline(command)).toBe(true);
  });

  test.each([
    'a',
    'a | b; c',
    'a | b &',
    '! a | b',
    'a || b | c',
    'a | b || c',
    '(a | b)',
    "echo 'a | b'",
    'if x; then a | b; fi',
    "trap 'x' EXIT; a | b",
    'trap x 0; a | b',
    'trap x "$S"; a | b',
    'exec a | b',
    "a | echo 'b",
    '',
  ])('but not of %s', (command) => {
    expect(endsInPipeline(command)).toBe(false);
  });
});
