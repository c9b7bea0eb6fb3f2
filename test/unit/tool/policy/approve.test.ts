import { describe, expect, test } from 'vitest';
import { compileApprovalRules } from '../../../../src/tool/approvals/approval-rules.ts';
import { createPolicy } from '../../../../src/tool/approvals/create-policy.ts';
import type { ApprovalRule } from '../../../../src/tool/contract/policy-options.ts';
import type { Decision } from '../../../../src/tool/contract/policy-verdict.ts';

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

describe('the first rule that matches a part decides', () => {
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

  test('a part without a matching rule gets the decision of the options', () => {
    expect([decide('make', 'allow'), decide('make', 'deny')]).toEqual(['allow', 'deny']);
    expect(decide('git config a b', 'allow')).toBe('deny');
  });

  test('a check takes precedence over every allow rule', () => {
    expect(decide('git add -A')).toBe('deny');
  });
});

test('a refusal gives the rule’s reason', () => {
  const { message } = createPolicy({ approvals: { rules: RULES } }).judge('git config a b');
  expect(message.split('\n')[0]).toBe('permission denied: git config is not allowed here: it is not yours');
});

describe('a question', () => {
  const policy = createPolicy({ approvals: { otherwise: 'ask' } });

  test('names the parts, and exactly their words as what a lasting answer stores', () => {
    expect(policy.judge('npm run build && git log -p').question).toMatchObject({
      parts: ['npm run build', 'git log -p'],
      spans: [
        { start: 0, end: 13 },
        { start: 17, end: 27 },
      ],
      always: [
        { prefix: ['npm', 'run', 'build'], exact: true, text: 'npm run build' },
        { prefix: ['git', 'log', '-p'], exact: true, text: 'git log -p' },
      ],
    });
  });

  test('shows words so that they cannot be mistaken for others', () => {
    expect(policy.judge('deployctl "prod eu" \'*\'').question?.always).toEqual([
      { prefix: ['deployctl', 'prod eu', '*'], exact: true, text: "deployctl 'prod eu' '*'" },
    ]);
  });

  test.each([
    'bash x.sh',
    'python -c pass',
    'make > out',
    '$X a',
    'X=1 deployctl prod eu',
    'deployctl apply -f - < plan',
    'deployctl apply -f - <<< plan',
    'cat plan | deployctl apply -f -',
    "deployctl $'prod\\e[8m'",
  ])('offers nothing for %s', (command) => {
    expect(policy.judge(command).question?.always).toEqual([]);
  });

  test('of a rule stores nothing about the other parts of the command', () => {
    const rules = [{ action: 'ask', prefix: 'deployctl' }] as const;
    const asking = createPolicy({ approvals: { rules, otherwise: 'ask' } });
    const { question } = asking.judge('deployctl prod eu | head -5; touch made');
    expect(question?.parts).toEqual(['deployctl prod eu', 'head -5', 'touch made']);
    expect(question?.always.map(({ text }) => text)).toEqual(['deployctl prod eu']);
  });
});

describe('what a lasting answer stored', () => {
  const rules: readonly ApprovalRule[] = [{ action: 'ask', prefix: 'deployctl' }];
  const policy = createPolicy({ approvals: { rules, otherwise: 'deny' } });
  const always = policy.judge('deployctl prod eu').question?.always ?? [];
  const learned = compileApprovalRules(
    always.map(({ prefix, exact }): ApprovalRule => ({ action: 'allow', prefix, exact })),
  );

  test.each([
    ['deployctl prod eu', 'allow'],
    ["deployctl 'prod' eu", 'allow'],
    ['deployctl destroy eu', 'ask'],
    ['deployctl prod', 'ask'],
    ['deployctl prod eu --force', 'ask'],
    ['deployctl "prod eu"', 'ask'],
    ['deployctl prod $REGION', 'ask'],
    ['deployctl prod eu > out', 'ask'],
    ['deployctl prod eu | tee out', 'deny'],
    ['deployctl prod eu; touch made', 'deny'],
  ] as const)('%s: %s', (command, verdict) => {
    expect(policy.judge(command, { learned }).verdict).toBe(verdict);
  });

  test('applies only in the directory where the command starts', () => {
    const lenient = createPolicy({ approvals: { rules } });
    expect(lenient.judge('cd .; deployctl prod eu', { learned }).verdict).toBe('allow');
    expect(lenient.judge('cd ../other; deployctl prod eu', { learned }).verdict).toBe('ask');
  });

  test('treats a star as a literal word', () => {
    const stored = compileApprovalRules([{ action: 'allow', prefix: ['deployctl', '*'], exact: true }]);
    expect(policy.judge("deployctl '*'", { learned: stored }).verdict).toBe('allow');
    expect(policy.judge('deployctl', { learned: stored }).verdict).toBe('ask');
  });
});

test.each([
  [{ action: 'maybe', prefix: 'a' }, /action must be allow, ask or deny/],
  [{ action: 'allow' }, /it needs either a prefix or a pattern/],
  [{ action: 'allow', pattern: '(' }, /is not a valid regular expression/],
  [{ action: 'allow', prefix: 'a; b' }, /not one simple command/],
  [{ action: 'allow', prefix: 'git', examples: { match: ['ls'] } }, /does not match its example: ls/],
])('an invalid rule is an error that names it', (rule, problem) => {
  const make = (): unknown => createPolicy({ approvals: { rules: [rule as ApprovalRule] } });
  expect(make).toThrow(problem);
  expect(make).toThrow(/^Rule approval rule 1 is invalid/);
});

describe('a rule that allows git status allows nothing else', () => {
  const policy = createPolicy({
    approvals: { rules: [{ action: 'allow', prefix: 'git status' }], otherwise: 'deny' },
  });

  test.each([
    'git status',
    'git status --short src',
    'git status 2>/dev/null',
    'git status 2>&1',
    'LANG=C git status',
    'env LC_ALL=C git status',
    'timeout 5 git status',
    'git status && git status -b',
    'for f in a b; do git status "./$f"; done',
  ])('allowed: %s', (command) => {
    expect(policy.judge(command).verdict).toBe('allow');
  });

  test.each([
    '/tmp/evil/git status',
    './git status',
    '../git status',
    '~/bin/git status',
    'PATH=/tmp/evil; git status',
    'PATH=/tmp/evil git status',
    'PATH+=:/tmp/evil; git status',
    'env PATH=/tmp/evil git status',
    'env -S "PATH=/tmp/evil git status"',
    'env -C /tmp/evil git status',
    'env $X git status',
    'for PATH in /tmp/evil; do git status; done',
    'git status "${PATH:=/tmp/evil}"',
    'git status ${PATH=/tmp/evil}',
    'LD_PRELOAD=./x.so git status',
    'HOME=/tmp/evil git status',
    'XDG_CONFIG_HOME=/tmp/evil git status',
    'GIT_DIR=/tmp/evil git status',
    'NODE_OPTIONS=x git status',
    'GCONV_PATH=/tmp/evil git status',
    'npm_config_shell=x git status',
    '{ git status; } > F',
    '> F; git status',
    'git status 1<> F',
    '( git status ) >> F',
    'while git status; do git status; done > F',
    'f() { git status; } > F; f',
    'if git status; then git status; fi &> F',
    'git status >& F',
    'git status > "/dev/$X"',
    "[[ -v 'a[$(touch made)]' ]] && git status",
    '[[ $x -gt 0 ]] && git status',
    'test -v x && git status',
    'a[x]=1; git status',
    'a=([x]=1); git status',
    'git status ${a[x]}',
    'git status ${!x}',
    'git status ${x@P}',
    'git status ${x:y}',
    'git status $((x))',
    '((x)); git status',
    'for ((i = 0; i < n; i++)); do git status; done',
    'unset x; git status',
    'printf -v x y; git status',
    'read x; git status',
    'coproc git status',
    'strace -o F git status',
    'time -o F git status',
    'script -c "git status" F',
  ])('refused: %s', (command) => {
    expect(policy.judge(command).verdict).toBe('deny');
  });
});

describe('a prefix does not cover words that make a program run or write something', () => {
  const programs = ['git', 'find', 'make', 'npx', 'sort', 'strace', 'printf', 'read', 'unset', 'tar', 'rg'];
  const rules = programs.map((prefix): ApprovalRule => ({ action: 'allow', prefix }));
  const byPrefix = createPolicy({ approvals: { rules, otherwise: 'ask' } });
  const pattern = `^(?:${programs.join('|')})\\b`;
  const byPattern = createPolicy({
    approvals: { rules: [{ action: 'allow', pattern }], otherwise: 'ask' },
  });

  test.each([
    'git log -p --oneline',
    'git diff --exit-code HEAD~1',
    'find src -name x.ts',
    'make build',
    'sort -u list',
    'printf %s x',
  ])('allowed: %s', (command) => {
    expect([byPrefix.judge(command).verdict, byPattern.judge(command).verdict]).toEqual(['allow', 'allow']);
  });

  test.each([
    'git rebase -x cmd main',
    'git rebase --exec=cmd main',
    'git bisect run cmd',
    'git difftool -x cmd',
    'git log --output=F',
    'git log --outp F',
    'git grep -O x',
    'git grep -nOless x',
    'git config core.pager cmd',
    'git -c core.pager=cmd log',
    'git log $X',
    'git submodule foreach cmd',
    'find . -exec cmd {} +',
    'find . -fprint F',
    'make --eval=x',
    'make SHELL=cmd',
    'make -f F',
    'npx -p pkg cmd',
    'sort -o F list',
    'sort --compress-program=cmd list',
    'tar --checkpoint-action=exec=cmd -tf F',
    'rg --pre cmd x',
    'printf -v PATH x',
    'read PATH',
    "unset 'a[x]'",
    'git log > F',
    'PATH=. git log',
    '/tmp/evil/git log',
  ])('asked: %s', (command) => {
    expect([byPrefix.judge(command).verdict, byPattern.judge(command).verdict]).toEqual(['ask', 'ask']);
  });
});

describe('a rule that denies matches the ordinary spellings of a command', () => {
  const rules = [
    'git push',
    'kubectl delete',
    'npm publish',
    'terraform destroy',
    'docker push',
    'systemctl stop',
    'aws s3 rm',
    'curl',
    'git commit --amend',
  ].map((prefix): ApprovalRule => ({ action: 'deny', prefix }));
  const policy = createPolicy({ approvals: { rules } });

  test.each([
    'git -C repo push',
    'git --no-pager push',
    'git -c a=b --no-pager push origin',
    'git --git-dir=x push',
    'kubectl -n prod delete pod x',
    'npm -w pkg publish',
    'terraform -chdir=x destroy',
    'docker --context x push y',
    'systemctl --user stop x',
    'aws --profile p s3 rm x',
    'aws --profile p s3 --region r rm x',
    'git $UNKNOWN',
    'git "$UNKNOWN" push',
    'git pu$X',
    'cu?l localhost',
    '/usr/bin/cu*l localhost',
    'git commit -m x --amend',
    '$GIT push',
  ])('denied: %s', (command) => {
    expect(policy.judge(command).verdict).toBe('deny');
  });

  test.each([
    'git log push',
    'git -C repo log',
    'kubectl -n prod get pod',
    'npm -w pkg test',
    'git stash push',
    'aws s3 ls',
    'git commit -m x',
    '$PYTHON x.py',
    'echo git push',
  ])('not denied: %s', (command) => {
    expect(policy.judge(command).verdict).toBe('allow');
  });
});
