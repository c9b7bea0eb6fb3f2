import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { type Door, type Open, proves } from './doors.ts';

/*
 * What is handed to a door here would run if a check were broken. So every command is harmless even then: the directory is
 * empty, git is told of a repository that is not there, and home is an empty directory as well.
 */
function openEmpty(open: Open, profile: 'agent' | 'modes' | 'simple' = 'agent'): Door & { inside: string } {
  const home = temporaryDirectory();
  const inherited = { GIT_DIR: join(home, 'no-repository'), HOME: home };
  const door = open({ profile, inherited });
  const inside = join(door.place, 'empty');
  mkdirSync(inside);
  return { ...door, inside };
}

const REFUSED = [
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

for (const [command, line] of REFUSED)
  proves('POL-2', `${command} is refused, says why, and nothing of the command runs`, async (open) => {
    const { call, inside } = openEmpty(open);
    const { isError, error, run, content } = await call({ command: `touch ran; ${command}`, cwd: inside });
    expect([isError, error?.id, run.status, run.runId]).toEqual([true, 'blocked_by_policy', 'refused', null]);
    expect(content[0]?.text.split('\n')[0]).toBe(line);
    expect(readdirSync(inside)).toEqual([]);
  });

proves('POL-2', 'a wrapper, a nested shell and a variable hide nothing', async (open) => {
  const { call, inside } = openEmpty(open);
  for (const command of [
    "env bash -c 'touch ran; git add -A'",
    'a=-A; touch ran; git add $a',
    'touch ran; if true; then g() { git "$@"; }; g push -f; fi',
  ]) {
    const { error } = await call({ command, cwd: inside });
    expect(error?.id).toBe('blocked_by_policy');
  }
  expect(readdirSync(inside)).toEqual([]);
});

proves('POL-2', 'what only mentions such a command runs', async (open) => {
  const { call, inside } = openEmpty(open);
  const { run } = await call({ command: "echo 'git add -A' # git push --force", cwd: inside });
  expect(run).toMatchObject({ status: 'exited', exitCode: 0, output: { text: 'git add -A\n' } });
});

proves('POL-2', 'a syntax error is left to bash', async (open) => {
  const { call, inside } = openEmpty(open);
  const { run } = await call({ command: 'git add a; if true; then', cwd: inside });
  expect(run.status).toBe('exited');
  expect(run.output.text).toContain('syntax error');
});

proves('POL-2', 'the profile modes is guarded as well', async (open) => {
  const door = openEmpty(open, 'modes');
  const { error } = await door.call({ command: 'touch ran; git add -A' });
  expect(error?.id).toBe('blocked_by_policy');
  expect(existsSync(join(door.place, 'ran'))).toBe(false);
});

proves('POL-2', 'the profile simple judges nothing', async (open) => {
  const door = openEmpty(open, 'simple');
  const { run } = await door.call({ command: 'touch ran; git add -A' });
  expect(run.status).toBe('exited');
  expect(existsSync(join(door.place, 'ran'))).toBe(true);
});

proves('POL-3', 'a command that another tool does better is sent there, where that is set', async (open) => {
  const inherited = { NACRE_POLICY_INTERCEPTOR_ENABLED: '1', NACRE_TOOL_NAMES: 'read' };
  const door = open({ inherited });
  writeFileSync(join(door.place, 'file'), 'text\n');
  const { error, content } = await door.call({ command: 'cat file' });
  expect(error?.id).toBe('blocked_by_policy');
  expect(content[0]?.text).toMatch(/^Blocked: .*read/);
  expect((await door.call({ command: 'echo x | cat' })).run.output.text).toBe('x\n');
  expect((await open().call({ command: 'echo x >file; cat file' })).run.output.text).toBe('x\n');
});

proves('POL-4', 'a rule that denies one part refuses the whole; no answer means no', async (open) => {
  const rules = [
    { prefix: 'touch', action: 'deny', reason: 'no new files here' },
    { prefix: 'uname', action: 'ask' },
  ];
  const door = open({
    inherited: {
      NACRE_POLICY_APPROVALS_RULES: JSON.stringify(rules),
      NACRE_POLICY_APPROVALS_WAIT_MS: '200',
    },
  });
  const denied = await door.call({ command: 'echo first >begun; (touch ran)' });
  expect(denied.error?.message).toContain('no new files here');
  const asked = await door.call({ command: 'echo first >begun && uname' });
  expect(asked.isError).toBe(true);
  expect(asked.run.status).toBe('refused');
  expect(existsSync(join(door.place, 'begun'))).toBe(false);
});
