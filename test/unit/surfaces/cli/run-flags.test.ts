import { describe, expect, test } from 'vitest';
import { checkRunFlags, parseRunArgs } from '../../../../src/surfaces/cli/run/run-flags.ts';

const parse = (...args: string[]) => {
  const { flags, words } = parseRunArgs(args);
  return { flags, words };
};

describe('the arguments of nacre run', () => {
  test('options come before the command', () => {
    expect(parse('--json', '--timeout', '5', 'ls -la')).toEqual({
      flags: { json: true, timeout: 5 },
      words: ['ls -la'],
    });
  });

  test('options may follow a command that is one argument', () => {
    expect(parse('npm test', '--timeout', '5')).toEqual({ flags: { timeout: 5 }, words: ['npm test'] });
    expect(parse('make', '--json')).toEqual({ flags: { json: true }, words: ['make'] });
    expect(parse('--view', 'make', '--timeout=1')).toEqual({
      flags: { view: true, timeout: 1 },
      words: ['make'],
    });
  });

  test('what is no option of ours belongs to the command', () => {
    expect(parse('ls', '-la', '--json').words).toEqual(['ls', '-la', '--json']);
    expect(parse('npm', 'test', '--json').words).toEqual(['npm', 'test', '--json']);
    expect(parse('ls', '--help').words).toEqual(['ls', '--help']);
    expect(parse('sort', '--timeout', 'x').words).toEqual(['sort', '--timeout', 'x']);
  });

  test('short options are options before the command and belong to a command of several words', () => {
    expect(parse('-C', '/tmp', '-e', 'A=1', '-e', 'B=2', 'make', '-C', 'src')).toEqual({
      flags: { cwd: '/tmp', env: { A: '1', B: '2' } },
      words: ['make', '-C', 'src'],
    });
    expect(parse('npm test', '-e', 'A=1')).toEqual({ flags: { env: { A: '1' } }, words: ['npm test'] });
    expect(parse('grep', '-e', 'A=1').words).toEqual(['grep', '-e', 'A=1']);
  });

  test('after -- everything belongs to the command', () => {
    expect(parse('--view', '--', 'tool', '--json')).toEqual({
      flags: { view: true },
      words: ['tool', '--json'],
    });
  });

  test('a mistyped option after a command text is an error, not a word of it', () => {
    expect(() => parse('sleep 5', '--timeot', '3')).toThrow(
      "Unknown option '--timeot'. Did you mean '--timeout'?",
    );
  });

  test.each([
    [['--view', '--json', 'x'], 'agent', '--view and --json cannot be combined.'],
    [['--head', '3', 'x'], 'agent', '--head needs --view or --json.'],
    [['--view', '--tail', '3', 'x'], 'modes', '--tail needs the profile agent.'],
    [['--output-max-bytes', '2KiB', 'x'], 'agent', '--output-max-bytes needs --view or --json.'],
    [['--async', 'x'], 'simple', '--async needs the profile agent.'],
    [['--service', 'web', 'x'], 'modes', '--service needs the profile agent.'],
    [['--ready', 'port:1', 'x'], 'agent', '--ready needs --service.'],
    [['--restart', 'always', 'x'], 'agent', '--restart needs --service.'],
    [['--open-input', 'x'], 'agent', '--open-input needs --async or --service.'],
    [['--pty', 'x'], 'agent', '--pty needs --async'],
    [['--pty', '--async', '--open-input', 'x'], 'agent', '--pty and --open-input cannot be combined.'],
    [['--mode', 'slow', 'x'], 'agent', '--mode needs the profile modes.'],
  ])('%j with the profile %s would have no effect, and is refused', (args, profile, message) => {
    expect(() => checkRunFlags(parseRunArgs(args), profile)).toThrow(message);
  });
});
