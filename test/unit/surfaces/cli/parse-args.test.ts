import { describe, expect, test } from 'vitest';
import { parseArgs } from '../../../../src/surfaces/cli/command.ts';
import {
  choiceFlag,
  countFlag,
  rangeFlag,
  secondsFlag,
  switchFlag,
  textFlag,
  variablesFlag,
} from '../../../../src/surfaces/cli/flags.ts';

const FLAGS = {
  json: switchFlag('x'),
  cwd: textFlag('<dir>', 'x'),
  timeout: secondsFlag('x', 60),
  maxLines: countFlag('<n>', 'x'),
  lines: rangeFlag('x'),
  kind: choiceFlag('<kind>', ['a', 'b'], 'x'),
  env: variablesFlag('x'),
};

const parse = (...args: string[]) => parseArgs(args, FLAGS);
const problem = (...args: string[]): string => {
  try {
    parse(...args);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
};

describe('arguments', () => {
  test('options and words may be mixed, and a value may be joined by an equals sign', () => {
    expect(parse('a', '--json', '--cwd=/x=y', 'b', '--max-lines', '3')).toEqual({
      flags: { json: true, cwd: '/x=y', maxLines: 3 },
      words: ['a', 'b'],
      fenced: false,
    });
  });

  test('after -- everything is a word, and a lone - is one anyway', () => {
    expect(parse('-', '--', '--json', '-x')).toEqual({
      flags: {},
      words: ['-', '--json', '-x'],
      fenced: true,
    });
  });

  test('from the first word on nothing is an option where that is asked for', () => {
    expect(parseArgs(['--json', 'ls', '--json', '--', 'x'], FLAGS, 'first')).toEqual({
      flags: { json: true },
      words: ['ls', '--json', '--', 'x'],
      fenced: false,
    });
  });

  test('the last of two counts, and variables add up', () => {
    expect(
      parse('--timeout', '1', '--timeout', '2.5', '--env', 'A=1', '--env', 'B=x=y', '--env', 'A='),
    ).toMatchObject({
      flags: { timeout: 2.5, env: { A: '', B: 'x=y' } },
    });
  });

  test('a value may begin with a dash', () => {
    expect(parse('--cwd', '--json')).toMatchObject({ flags: { cwd: '--json' } });
  });

  test.each([
    ['--lines', '10-20', { lines: { from: 10, to: 20 } }],
    ['--lines', '10', { lines: { from: 10, to: 10 } }],
    ['--lines', '10-', { lines: { from: 10, to: Number.MAX_SAFE_INTEGER } }],
    ['--kind', 'b', { kind: 'b' }],
  ])('%s %s is understood', (option, value, flags) => {
    expect(parse(option, value)).toMatchObject({ flags });
  });

  test.each([
    [['--timeot', '3'], "Unknown option '--timeot'. Did you mean '--timeout'?"],
    [['-j'], "Unknown option '-j'."],
    [['--timeout'], '--timeout needs <seconds>.'],
    [['--timeout', 'soon'], '--timeout takes a number of seconds from 0 to 60, got "soon".'],
    [['--timeout=-1'], '--timeout takes a number of seconds from 0 to 60, got "-1".'],
    [['--timeout', '61'], '--timeout takes a number of seconds from 0 to 60, got "61".'],
    [['--max-lines', '0'], '--max-lines takes a whole number from 1, got "0".'],
    [['--lines', '20-10'], '--lines takes a range such as 10-20, 10- or 10, got "20-10".'],
    [['--kind', 'c'], '--kind takes a or b, got "c".'],
    [['--env', '=x'], '--env takes a name, an equals sign and a value, got "=x".'],
    [['--json=yes'], '--json takes no value, got "yes".'],
    [['--cwd', ''], '--cwd takes a non-empty text, got "".'],
  ])('%j is an error that names the option, the value and what it takes', (args, message) => {
    expect(problem(...args)).toBe(message);
  });
});
