import { describe, expect, test } from 'vitest';
import { type ApprovalRule, compileApprovals } from '../../../../src/tool/policy/approve/rule.ts';
import type { Decision } from '../../../../src/tool/policy/judge/verdict.ts';
import { createPolicy } from '../../../../src/tool/policy/policy.ts';

const RULES: readonly ApprovalRule[] = [
  { action: 'deny', prefix: 'git config', reason: 'it is not yours' },
  { action: 'ask', prefix: 'npm publish' },
  { action: 'allow', prefix: 'git' },
  { action: 'allow', prefix: ['npm', 'run', 'build'] },
  { action: 'allow', pattern: '^echo \\w+$' },
];

function decide(command: string, otherwise: Decision = 'ask'): Decision {
  return createPolicy({ approvals: { rules: RULES, otherwise } }).judge(command).verdict;
}

describe('the first rule that matches a part decides about it', () => {
  test.each([
    ['git log', 'allow'],
    ['git config user.name x', 'deny'],
    ['npm publish', 'ask'],
    ['npm run build', 'allow'],
    ['npm run deploy', 'ask'],
    ['echo hello', 'allow'],
  ] as const)('%s: %s', (command, verdict) => {
    expect(decide(command)).toBe(verdict);
  });
});

describe('deny and ask count for any part, allow only for all of them', () => {
  test.each([
    ['git log | cat', 'ask'],
    ['git log && git status', 'allow'],
    ['git log; npm publish', 'ask'],
    ['npm publish; git config a b', 'deny'],
    ['echo "$(git config a b)"', 'deny'],
    ['env git log', 'allow'],
    ['sudo git log', 'ask'],
    ['git log > out', 'ask'],
    ['git log 2> /dev/null', 'allow'],
    ['PATH=. git log', 'ask'],
    ['$UNKNOWN log', 'ask'],
  ] as const)('%s: %s', (command, verdict) => {
    expect(decide(command)).toBe(verdict);
  });

  test('what no rule is about is what the options say', () => {
    expect([decide('make', 'allow'), decide('make', 'deny')]).toEqual(['allow', 'deny']);
    expect(decide('git config a b', 'allow')).toBe('deny');
  });

  test('a check goes before every allowance', () => {
    expect(decide('git add -A')).toBe('deny');
  });
});

test('a refusal gives the rule’s reason', () => {
  const { message } = createPolicy({ approvals: { rules: RULES } }).judge('git config a b');
  expect(message.split('\n')[0]).toBe('permission denied: git config is not allowed here: it is not yours');
});

describe('a question', () => {
  const policy = createPolicy({ approvals: { otherwise: 'ask' } });

  test('names the parts, and the narrowest rule that would help the next time', () => {
    expect(policy.judge('npm run build && git log -p').question).toMatchObject({
      parts: ['npm run build', 'git log -p'],
      spans: [
        { start: 0, end: 13 },
        { start: 17, end: 27 },
      ],
      always: [{ prefix: ['npm', 'run', 'build'] }, { prefix: ['git', 'log'] }],
    });
  });

  test('offers only the very same words for what does whatever its words say', () => {
    expect(policy.judge('curl -s localhost').question?.always).toEqual([
      { prefix: ['curl', '-s', 'localhost'], exact: true },
    ]);
  });

  test.each(['bash x.sh', 'python -c pass', 'make > out', '$X a'])('offers nothing for %s', (command) => {
    expect(policy.judge(command).question?.always).toEqual([]);
  });

  test('is not asked again for what was allowed for good', () => {
    const learned = compileApprovals([{ action: 'allow', prefix: ['git', 'log'] }]);
    expect(policy.judge('git log -p', { learned }).verdict).toBe('allow');
    expect(policy.judge('git status', { learned }).verdict).toBe('ask');
  });
});

test.each([
  [{ action: 'maybe', prefix: 'a' }, /action must be allow, ask or deny/],
  [{ action: 'allow' }, /it needs a prefix or a pattern/],
  [{ action: 'allow', pattern: '(' }, /no regular expression/],
  [{ action: 'allow', prefix: 'a; b' }, /not one simple command/],
  [{ action: 'allow', prefix: 'git', examples: { match: ['ls'] } }, /does not match its example: ls/],
])('a rule that cannot work is an error that names it', (rule, problem) => {
  const make = (): unknown => createPolicy({ approvals: { rules: [rule as ApprovalRule] } });
  expect(make).toThrow(problem);
  expect(make).toThrow(/^Rule approval rule 1 is invalid/);
});
