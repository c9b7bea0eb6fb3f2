import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPolicy } from '../../../../src/tool/approvals/create-policy.ts';
import { createPrefilter } from '../../../../src/tool/policy/prefilter.ts';
import { SHELL_NAMES } from '../../../../src/tool/policy/unwrap/unwrap-command.ts';

// Nothing here runs a command: a policy only reads them.
const policy = createPolicy();
const couldMatter = createPrefilter([]);

const WORDS = [
  ...['git', 'add', '-A', 'ad', 'd', 'a%s', '%s%s', 'dd', "'git ad'", "'d -A'", '"add"', "a'dd'"],
  ...[
    'sh',
    'bash',
    '-c',
    'eval',
    'xargs',
    'printf',
    'echo',
    '-n',
    'cat',
    'tee',
    'f',
    './f',
    '.',
    'source',
    'env',
    'sudo',
  ],
  ...[
    'head',
    '-c',
    '3',
    'cut',
    'sort',
    'timeout',
    '5',
    'nohup',
    'command',
    'exec',
    'x=1',
    'alias',
    'git=git',
  ],
];
const JOINTS = [
  ' ',
  ' ',
  ' ',
  ' ',
  ' ',
  '; ',
  ' | ',
  ' && ',
  '\n',
  ' > ',
  ' >> ',
  ' < ',
  ' <<< ',
  ' (',
  ') ',
  ' & ',
  ' # ',
];

const command = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...JOINTS)), { minLength: 2, maxLength: 14 })
  .map((pieces) => pieces.flat().join(''));

describe('the prefilter', () => {
  test('skips no command that the full check refuses', () => {
    fc.assert(
      fc.property(command, (text) => {
        if (couldMatter(text)) return;
        const denied = policy.explain(text).findings.filter(({ rule }) => rule.startsWith('no_'));
        expect(denied, text).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    "printf 'git a%s -A' dd | sh",
    "(echo -n 'git ad'; echo 'd -A') | sh",
    "(echo -n 'git ad'; echo 'd -A') > f; bash f",
    "(echo -n 'git ad'; echo 'd -A') > f; ./f",
    "echo -n 'git ad' > f; echo 'd -A' >> f; ./f",
    "(echo -n 'git ad'; echo 'd -A') | tee f; . f",
    "(echo -n ad; echo 'd -A') | xargs git",
  ])('detects that a word may be assembled: %s', (text) => {
    expect(couldMatter(text)).toBe(true);
    expect(policy.judge(text).verdict).toBe('deny');
  });

  test.each(SHELL_NAMES)('counts %s as a shell', (name) => {
    expect(couldMatter(`echo x | ${name}`)).toBe(true);
  });

  test.each(['npm test > /dev/null 2>&1', 'npm test 2>&1 | tail -20', 'ls -la src >&2'])(
    'is enough for %s',
    (text) => {
      expect(couldMatter(text)).toBe(false);
    },
  );
});

test('no text makes a policy throw', () => {
  const pieces = fc.constantFrom(
    ...WORDS,
    '$(',
    ')',
    '${',
    '}',
    '`',
    '"',
    "'",
    '<<E',
    '\nE\n',
    '\\',
    '*',
    '((',
    '))',
    '[[',
    ']]',
    'if',
    'then',
    'fi',
    'case',
    'in',
    'esac',
    '{',
    '$x',
    'for',
    'do',
    'done',
  );
  const text = fc
    .array(fc.oneof(pieces, fc.constantFrom(...JOINTS)), { maxLength: 20 })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(fc.oneof(text, fc.string()), (command) => {
      expect(['allow', 'deny']).toContain(policy.explain(command).verdict);
    }),
    { numRuns: 1_500 },
  );
});
