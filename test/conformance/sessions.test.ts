import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { proves } from './doors.ts';

proves('SES-1', 'what a command changes in its shell is there in the next call', async (open) => {
  const door = open({ session: 'keeps' });
  mkdirSync(join(door.place, 'sub'));
  await door.call({
    command: 'cd sub; here=(a "b c"); export OUT=1; greet() { echo "hi $1"; }; shopt -s nullglob',
  });
  const { run } = await door.call({
    command: 'pwd; printf "[%s]" "${here[@]}" "$OUT" nothing*; echo; greet you; exit 3',
  });
  expect(run).toMatchObject({
    exitCode: 3,
    output: { text: `${join(door.place, 'sub')}\n[a][b c][1]\nhi you\n` },
  });
  expect(run.stateReset).toBeFalsy();
});

proves(
  'SES-1',
  'a shell that cannot say what became of it leaves the state of before, and says so',
  async (open) => {
    const door = open({ session: 'falls' });
    await door.call({ command: 'kept=1' });
    const { run } = await door.call({ command: 'kept=2; exec true' });
    expect(run.stateReset).toBeTruthy();
    expect((await door.call({ command: 'echo $kept' })).run.output.text).toBe('1\n');
  },
);

proves('SES-2', 'sessions see nothing of each other, neither shells nor outputs', async (open) => {
  const one = open({ session: 'one' });
  const { run } = await one.call({ command: 'mine=1; echo private' });
  const other = open({ session: 'other', beside: one });
  const seen = await other.call({ command: 'echo "[${mine-unset}]"' });
  expect(seen.run.output.text).toBe('[unset]\n');
  const { error } = await other.call({ command: `cat artifact://${run.runId}` });
  expect(error?.message).toContain(String(run.runId));
});

proves('LOG-1', 'a command is in the log with its end, and its output is not', async (open) => {
  const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
  const door = open({ inherited: { GITHUB_TOKEN: secret } });
  const { run } = await door.call({ command: `echo $((40 + 2))42 ${secret}; exit 3` });
  const log = readFileSync(join(door.stateDirectory, 'log/current.jsonl'), 'utf8');
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const ended = lines.find((line) => line.runId === run.runId && line.exitCode === 3);
  expect(ended).toBeDefined();
  expect(log).toContain('echo $((40 + 2))42 [redacted]');
  expect(log).not.toContain('4242');
  expect(log).not.toContain(secret);
});
