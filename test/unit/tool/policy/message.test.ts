import { describe, expect, test } from 'vitest';
import type { BashSyntax } from '../../../../src/engine/shell/find-shell.ts';
import { createPolicy } from '../../../../src/tool/approvals/create-policy.ts';

// Nothing here runs a command: a policy only reads them.
const policy = createPolicy();

const FIRST_LINES = [
  [
    'git add -A',
    'permission denied: blind git add commands (git add -A, git add ., git add --all, git add *) are not allowed, specify files explicitly',
  ],
  [
    'git push --force',
    'permission denied: git push --force is not allowed. Use --force-with-lease for safer force pushes, or push without force',
  ],
  [
    'rm -rf .git',
    'permission denied: this rm command could delete critical data (.git, home directory, or root). Specify the full path explicitly (no wildcards, ~, or $HOME)',
  ],
] as const;

describe('the first line of a refusal is the text of its check', () => {
  test.each(FIRST_LINES)('%s', (command, line) => {
    expect(policy.judge(command).message.split('\n')[0]).toBe(line);
  });
});

test('the following lines give the command, its wrappers, the position and an alternative', () => {
  const command = `cd app; sudo bash -c 'git add -vA'`;
  const lines = policy.judge(command).message.split('\n').slice(1);
  expect(lines).toEqual([
    '  found: git add -vA   (-A in -vA means --all)',
    '  inside: sudo > bash -c',
    '  at: characters 22-33',
    '  instead: git add <file> <file>, or git add -u for files that git knows',
  ]);
  expect(command.slice(22, 33)).toBe('git add -vA');
});

test('a command without wrappers has no line for them', () => {
  expect(policy.judge('git add -A').message).not.toContain('inside:');
});

test('at most five findings are listed and the rest is counted', () => {
  const command = Array.from({ length: 8 }, (_, index) => `git -C d${index} add -A`).join('; ');
  const { message, findings } = policy.judge(command);
  expect(findings).toHaveLength(8);
  expect(message.match(/^permission denied/gm)).toHaveLength(5);
  expect(message.split('\n').at(-1)).toBe('and 3 more');
});

describe('a command that exceeds a limit is refused with the limit as the reason', () => {
  test('characters', () => {
    const { verdict, findings, message } = policy.judge(`: ${'x'.repeat(300_000)}`);
    expect([verdict, findings[0]?.rule]).toEqual(['deny', 'too_complex']);
    expect(message).toContain('too complex to be checked: more than 262144 characters');
  });

  test('steps', () => {
    const tight = createPolicy({ limits: { maxSteps: 50 } });
    const command = Array.from({ length: 100 }, () => 'git add a').join('; ');
    expect(tight.judge(command).message).toContain('more than 50 steps');
    expect(policy.judge(command).verdict).toBe('allow');
  });

  test('levels', () => {
    const tight = createPolicy({ limits: { maxDepth: 3 } });
    const nested = `${'env '.repeat(8)}git add a`;
    expect(tight.judge(nested).message).toContain('more than 3 levels');
    expect(policy.judge(nested).verdict).toBe('allow');
  });
});

describe('a text that only the policy cannot parse', () => {
  const broken = 'git add a; if true; then';

  test('is refused with its position', () => {
    const { verdict, findings, message } = policy.judge(broken);
    expect([verdict, findings[0]?.rule]).toEqual(['deny', 'unreadable']);
    expect(message).toMatch(
      /^permission denied: this command cannot be checked, it is unreadable at character \d+/,
    );
  });

  test('is left to bash when bash cannot parse it either', () => {
    const asked: string[] = [];
    const checkSyntax = (text: string): BashSyntax => {
      asked.push(text);
      return { line: 2, message: 'line 2: syntax error: unexpected end of file' };
    };
    const { verdict, notes } = createPolicy({ checkSyntax }).judge(broken);
    expect([verdict, asked]).toEqual(['allow', [broken]]);
    expect(notes.join()).toContain('bash will report a syntax error');
  });

  test('is refused when bash reports its error in a later line, with the message of bash', () => {
    const checkSyntax = (): BashSyntax => ({ line: 2, message: 'line 2: syntax error near )' });
    const { verdict, findings, message } = createPolicy({ checkSyntax }).judge(`${broken}\n)`);
    expect([verdict, findings.map(({ rule }) => rule)]).toEqual(['deny', ['unreadable']]);
    expect(message).toContain('(line 2: syntax error near ))');
  });

  test('is refused when bash crashed or timed out', () => {
    const { verdict, findings } = createPolicy({ checkSyntax: () => 'unknown' }).judge(broken);
    expect([verdict, findings.map(({ rule }) => rule)]).toEqual(['deny', ['unreadable']]);
  });

  test('starts bash at most once, and never for several nested texts', () => {
    let asked = 0;
    const checkSyntax = (): BashSyntax => {
      asked += 1;
      return { line: 1, message: 'line 1: syntax error' };
    };
    const strict = createPolicy({ checkSyntax });
    const nested = (count: number): string =>
      Array.from({ length: count }, (_, index) => `bash -c 'git add ${index}; if'`).join('\n');
    expect([strict.judge(nested(1)).verdict, asked]).toEqual(['allow', 1]);
    expect([strict.judge(nested(40)).verdict, asked]).toEqual(['deny', 1]);
    expect([strict.judge(`${nested(40)}; (`).verdict, asked]).toEqual(['allow', 2]);
  });

  test('is allowed with a note when the option says so', () => {
    const { verdict, notes } = createPolicy({ unreadable: 'allow' }).judge(broken);
    expect(verdict).toBe('allow');
    expect(notes.join()).toContain('not checked from character');
  });
});

describe('checks can be enabled and disabled', () => {
  test('a disabled check reports nothing', () => {
    expect(createPolicy({ checks: { no_blind_git_add: false } }).judge('git add -A').verdict).toBe('allow');
  });

  test('system directories are checked unless that check is disabled', () => {
    const lenient = createPolicy({ checks: { no_system_directory_rm: false } });
    expect(lenient.judge('rm -rf /etc').verdict).toBe('allow');
    expect(policy.judge('rm -rf /etc').findings[0]?.rule).toBe('no_system_directory_rm');
    for (const path of ['/usr/local', '/usr/src', '/dev/shm', '/usr/srcs/x'])
      expect(policy.judge(`rm -rf ${path}`).verdict).toBe('deny');
    for (const path of ['/usr/local/app', '/usr/src/app/dist', '/dev/shm/x', '/tmp/x', '/opt/app'])
      expect(policy.judge(`rm -rf ${path}`).verdict).toBe('allow');
  });

  test('a custom rule must pass its own examples', () => {
    const rule = {
      id: 'no_make',
      commands: ['make'],
      message: 'permission denied: no make here',
      check: () => 'it is make',
      examples: { match: ['make all'], noMatch: ['echo make'] },
    };
    expect(createPolicy({ rules: [rule] }).judge('sudo make all').findings[0]?.rule).toBe('no_make');
    const wrong = { ...rule, examples: { match: ['cmake'], noMatch: [] } };
    expect(() => createPolicy({ rules: [wrong] })).toThrow(
      'Rule no_make is invalid: it does not match its example: cmake',
    );
  });
});

test('definitions of earlier commands in the same shell apply', () => {
  const prelude = 'save() { git add "$@"; }; all=-A';
  expect(policy.judge('save "$all"', { prelude }).verdict).toBe('deny');
  expect(policy.judge('save a.ts', { prelude }).verdict).toBe('allow');
});

test('an explanation lists the parts, the matching rules and their positions', () => {
  const command = 'cd app && sudo git add -A | tee log';
  const { verdict, parts, rules, spans, parse } = policy.explain(command);
  expect([verdict, parse]).toEqual(['deny', 'ok']);
  expect(parts.map(({ text }) => text)).toEqual(['cd app', 'sudo git add -A', 'git add -A', 'tee log']);
  expect(parts[2]?.via).toEqual(['sudo']);
  expect(rules).toMatchObject([{ rule: 'no_blind_git_add', verdict: 'deny', part: 'git add -A' }]);
  expect(spans.map(({ start, end }) => command.slice(start, end))).toEqual(['sudo git add -A']);
});
