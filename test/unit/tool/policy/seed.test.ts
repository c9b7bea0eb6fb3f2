import { describe, expect, test } from 'vitest';
import { createPolicy } from '../../../../src/tool/approvals/create-policy.ts';

// Nothing here runs a command: a policy only reads them.
const policy = createPolicy();
const context = { home: '/home/user', cwd: '/home/user/project' };

function checkOf(command: string): string | null {
  const { verdict, findings } = policy.judge(command, context);
  return verdict === 'deny' ? (findings[0]?.rule ?? null) : null;
}

type Case = readonly [name: string, command: string, check: string | null];

const CASES: Readonly<Record<string, readonly Case[]>> = {
  'git add patterns': [
    ['add -A', 'git add -A', 'no_blind_git_add'],
    ['add --all', 'git add --all', 'no_blind_git_add'],
    ['add .', 'git add .', 'no_blind_git_add'],
    ['add *', 'git add *', 'no_blind_git_add'],
    ['add -A with a message after it', 'git add -A && git commit -m "x"', 'no_blind_git_add'],
    ['add with options before', 'git add -v -A', 'no_blind_git_add'],
    ['add with a directory of git', 'git -C sub add .', 'no_blind_git_add'],
    ['add one file', 'git add file.rs', null],
    ['add several files', 'git add src/a.rs src/b.rs', null],
    ['add a directory', 'git add src/', null],
    ['add a pattern of one kind', 'git add *.rs', null],
    ['another git command', 'git status', null],
  ],
  'git push patterns': [
    ['push --force', 'git push --force', 'no_force_push'],
    ['push -f', 'git push -f', 'no_force_push'],
    ['push --force to a branch', 'git push --force origin main', 'no_force_push'],
    ['push with the option last', 'git push origin main -f', 'no_force_push'],
    ['push --force-with-lease', 'git push --force-with-lease', null],
    ['push --force-with-lease to a branch', 'git push --force-with-lease origin feature', null],
    ['a plain push', 'git push origin main', null],
    ['push with an upstream', 'git push -u origin feature', null],
  ],
  'rm patterns': [
    ['the root', 'rm -rf /', 'no_dangerous_rm'],
    ['the home directory', 'rm -rf ~', 'no_dangerous_rm'],
    ['the home directory by its variable', 'rm -rf $HOME', 'no_dangerous_rm'],
    ['a path below home', 'rm -rf ~/Documents', 'no_dangerous_rm'],
    ['.git', 'rm -rf .git', 'no_dangerous_rm'],
    ['.git of another directory', 'rm -rf repo/.git', 'no_dangerous_rm'],
    ['everything here', 'rm -rf *', 'no_dangerous_rm'],
    ['options apart', 'rm -r -f /', 'no_dangerous_rm'],
    ['node_modules', 'rm -rf node_modules', null],
    ['a build directory', 'rm -rf target/debug', null],
    ['a file', 'rm file.txt', null],
    ['a temporary directory', 'rm -rf /tmp/test-dir', null],
  ],
  'the sudo prefix': [
    ['before git add', 'sudo git add -A', 'no_blind_git_add'],
    ['before git push', 'sudo git push --force', 'no_force_push'],
    ['before rm', 'sudo rm -rf /', 'no_dangerous_rm'],
    ['before something harmless', 'sudo apt-get update', null],
  ],
  'pipelines and compound commands': [
    ['after &&', 'cd repo && git add -A', 'no_blind_git_add'],
    ['after ;', 'echo hi; rm -rf /', 'no_dangerous_rm'],
    ['in a pipeline', 'echo y | git push --force', 'no_force_push'],
    ['harmless parts', 'cd repo && git add a.rs && git commit -m x | cat', null],
  ],
  'edge cases': [
    ['an empty script', '', null],
    ['only a comment', '# git add -A', null],
  ],
};

for (const [group, cases] of Object.entries(CASES))
  describe(group, () => {
    test.each(cases)('%s: %s', (_name, command, check) => {
      expect(checkOf(command)).toBe(check);
    });
  });

test('there are 42 of them', () => {
  expect(Object.values(CASES).flat()).toHaveLength(42);
});
