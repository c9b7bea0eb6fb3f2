import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../../../../src/tool/syntax/parse-script.ts';
import { findWordSpans } from '../../../../../src/tool/syntax/word-spans.ts';

test('a syntax error has its position, and the rest of the command is parsed', () => {
  const { script, errors } = parseCommand("ls\necho 'x");
  expect(script.commands).toHaveLength(2);
  expect(errors[0]?.pos).toBeGreaterThan(0);
});

test('a sum of ten thousand terms does not exhaust the stack', () => {
  expect(parseCommand(`echo $((${'1+'.repeat(10_000)}1))`).errors).toEqual([]);
});

describe('whole words', () => {
  const urls = (command: string) =>
    findWordSpans(command)
      .filter(({ value }) => value.includes('://'))
      .map((span) => ({ ...span, cut: command.slice(span.pos, span.end) }))
      .map(({ cut, quoting, value, inBackticks }) => [cut, quoting, value, inBackticks]);

  test.each([
    ['cat a://b; echo ok', [['a://b', 'bare', 'a://b', false]]],
    ['cat a://b?q=1*', [['a://b?q=1*', 'bare', 'a://b?q=1*', false]]],
    ["cat 'a://b c'", [["'a://b c'", 'single', 'a://b c', false]]],
    ['cat "a://b"', [['"a://b"', 'double', 'a://b', false]]],
    [
      'cat <a://b >"c://d"',
      [
        ['a://b', 'bare', 'a://b', false],
        ['"c://d"', 'double', 'c://d', false],
      ],
    ],
    ['echo "x $(cat a://b)"', [['a://b', 'bare', 'a://b', false]]],
    ['echo "`cat a://b`"', [['a://b', 'bare', 'a://b', true]]],
    ['for x in a://b; do :; done', [['a://b', 'bare', 'a://b', false]]],
    [
      'x=(a://b); [[ -f c://d ]]',
      [
        ['a://b', 'bare', 'a://b', false],
        ['c://d', 'bare', 'c://d', false],
      ],
    ],
    ['cat a\\ b://c', [['a\\ b://c', 'bare', 'a b://c', false]]],
  ])('%s', (command, expected) => {
    expect(urls(command)).toEqual(expected);
  });

  test('text inside longer words, expansions, assignments, here-documents and escaped backticks is left out', () => {
    for (const command of [
      'cat "$X/a://b"',
      'cat a://"b"',
      'X=a://b cat',
      'cat <<E\na://b\nE',
      'echo "`echo \\"a://b\\"`"',
      'cat {a,b}://c',
      '# a://b',
    ])
      expect(urls(command)).toEqual([]);
    expect(urls("echo 'text with a://b inside'")).toEqual([
      ["'text with a://b inside'", 'single', 'text with a://b inside', false],
    ]);
  });
});
