import { describe, expect, test } from 'vitest';
import { commandNames, parse, referencedVariables, wordSpans } from '../../../../../src/tool/policy/parse.ts';

test('what does not parse is told with its position, beside what does', () => {
  const { script, errors } = parse("ls\necho 'x");
  expect(script.commands).toHaveLength(2);
  expect(errors[0]?.pos).toBeGreaterThan(0);
});

test('names are those of commands, wherever they stand', () => {
  expect(commandNames("FOO=1 'ls' -l | r\\m x; echo \"$(cat `which sh`)\" 'not me' && $X y")).toEqual([
    'ls',
    'rm',
    'echo',
    'cat',
    'which',
  ]);
});

test('a sum of ten thousand terms does not exhaust the stack', () => {
  expect(commandNames(`echo $((${'1+'.repeat(10_000)}1))`)).toEqual(['echo']);
});

describe('variables a command refers to', () => {
  test.each([
    ['echo $A "${B:-$C}" $((D+1)) ${!E}', ['A', 'B', 'C', 'D', 'E']],
    ['bash -c \'curl -H "$TOKEN"\'', ['TOKEN']],
    ['printenv KEY', ['KEY']],
    ["node -e 'process.env.API_KEY'", ['API_KEY']],
    ['python3 -c "import os; os.environ[\'API_KEY\']"', ['API_KEY']],
    ['cat <<E\n$X\nE', ['X']],
    ['echo $1 $? A=1 B', []],
  ])('%s', (command, names) => {
    expect(referencedVariables(command)).toEqual(names);
  });
});

describe('whole words', () => {
  const urls = (command: string) =>
    wordSpans(command)
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
