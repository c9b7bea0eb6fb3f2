import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LockOwner } from '../../../src/engine/process/file-lock.ts';
import type { Bash } from '../../../src/tool/call/bash.ts';
import { openSessions } from '../../../src/tool/sessions/sessions.ts';
import { useRealBash } from '../../helpers/real-bash.ts';

const { open, stateDirectory } = useRealBash();

async function output(bash: Bash, command: string): Promise<string> {
  return (await bash.call({ command })).run.output.text;
}

/** The files of a session's shells. */
function filesOf(session: string): string[] {
  const directory = join(stateDirectory, 'sessions', session, 'shell');
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name));
}

test('two instances of a session share it, and sessions do not see each other', async () => {
  const [one, same, other] = [
    open({ session: 'shared' }),
    open({ session: 'shared' }),
    open({ session: 'other' }),
  ];
  await one.call({ command: 'X=1; f() { echo "f $X"; }' });
  expect(await output(same, 'f')).toBe('f 1\n');
  expect(await output(other, 'echo "${X-none}"')).toBe('none\n');
});

test('another prefix or environment is another state', async () => {
  await open({ session: 'places' }).call({ command: 'X=1' });
  expect(await output(open({ session: 'places', env: { A: '1' } }), 'echo "${X-none}"')).toBe('none\n');
  expect(await output(open({ session: 'places', shellPrefix: ':;' }), 'echo "${X-none}"')).toBe('none\n');
  expect(await output(open({ session: 'places' }), 'echo "${X-none}"')).toBe('1\n');
});

test('a call while another one may change the shell has a copy, and says that its changes are not kept', async () => {
  const bash = open({ session: 'overlap' });
  await bash.call({ command: 'X=before' });
  let go = (): void => undefined;
  const started = new Promise<void>((resolve) => {
    go = resolve;
  });
  const fifo = join(mkdtempSync(join(tmpdir(), 'nacre-overlap-')), 'fifo');
  await bash.call({ command: `mkfifo ${fifo}` });
  const first = bash.call(
    { command: `X=first; echo ready; read -r line < ${fifo}` },
    { onUpdate: () => go() },
  );
  await started;
  const second = await bash.call({ command: 'X="$X, second"; echo "$X"' });
  expect(second.run.output.text).toBe('before, second\n');
  expect(second.run.stateReset).toBe('overlapped');
  // What changes nothing, or cannot, is not told so.
  expect((await bash.call({ command: 'X=before' })).run).not.toHaveProperty('stateReset');
  expect((await bash.call({ command: `echo go > ${fifo}` })).run).not.toHaveProperty('stateReset');
  expect((await first).run).not.toHaveProperty('stateReset');
  expect(await output(bash, 'echo $X')).toBe('first\n');
});

test('a call that becomes a job leaves the session unchanged and reports it', async () => {
  const bash = open({ session: 'job' });
  await bash.call({ command: 'X=before' });
  const { run } = await bash.call({ command: 'X=after; sleep 1000', wait: 0 });
  expect(run).toMatchObject({ status: 'running', stateReset: 'job' });
  expect(await output(bash, 'echo $X')).toBe('before\n');
  expect((await bash.call({ command: 'X=next' })).run).not.toHaveProperty('stateReset');
  await bash.jobs.kill(run.runId ?? '', { signal: 'SIGKILL' });
});

test('sessions are listed, shown and reset, whatever their names', async () => {
  const key = 'agent 7/ünï';
  const bash = open({ session: key });
  await bash.call({
    command: 'A=1; unset HOME; f() { :; }; alias q=w; shopt -s extglob; set -o pipefail; umask 027; cd /',
  });
  const sessions = openSessions({ stateDirectory });
  expect(sessions.list().map(({ session }) => session)).toContain(key);
  expect(sessions.show(key)).toMatchObject({
    session: key,
    cwd: '/',
    variables: ['A'],
    unset: ['HOME'],
    functions: ['f'],
    aliases: ['q'],
    options: ['shopt -s extglob', 'set -o pipefail'],
    umask: '0027',
  });
  sessions.reset(key);
  expect(await output(bash, 'echo "${A-none} $(umask)"')).toBe('none 0022\n');
  await bash.call({ command: 'A=2' });
  bash.resetState();
  expect(await output(bash, 'echo "${A-none}"')).toBe('none\n');
  expect(() => sessions.show('nobody')).toThrow('There is no session nobody');
});

test('state files are private, and a damaged one is reported and kept', async () => {
  const bash = open({ session: 'private' });
  await bash.call({ command: 'umask 0; X=1' });
  expect(await output(bash, 'echo $X')).toBe('1\n');
  const files = filesOf('private');
  for (const file of files) expect(statSync(file).mode & 0o077).toBe(0);
  const state = files.find((file) => file.endsWith('state.json')) ?? '';
  writeFileSync(`${state}.1.new`, 'half');
  expect(await output(bash, 'echo $X')).toBe('1\n');
  const damaged = readFileSync(state, 'utf8').slice(0, 40);
  writeFileSync(state, damaged);
  const other = open({ session: 'private' });
  const first = await other.call({ command: 'echo "${X-none}"' });
  expect(first.run.output.text).toBe('none\n');
  expect(first.run.notes.join()).toContain(`its saved state is damaged. The file is kept: ${state}.damaged`);
  expect(readFileSync(`${state}.damaged`, 'utf8')).toBe(damaged);
  // The new state does not take up a base file of the old one.
  await other.call({ command: 'Y=2' });
  const second = await other.call({ command: 'echo "${X-none} $Y"' });
  expect(second.run.notes).toEqual([]);
  expect(second.run.output.text).toBe('none 2\n');
});

test('a state file that is a FIFO counts as damaged and does not block', async () => {
  const bash = open({ session: 'fifo' });
  await bash.call({ command: 'X=1' });
  const state = filesOf('fifo').find((file) => file.endsWith('state.json')) ?? '';
  rmSync(state);
  execFileSync('mkfifo', [state]);
  const { run } = await open({ session: 'fifo' }).call({ command: 'true' });
  expect(run.notes.join()).toContain('its saved state is damaged');
});

test('a state file of a newer nacre is reported and kept', async () => {
  const bash = open({ session: 'newer' });
  await bash.call({ command: 'X=1' });
  const state = filesOf('newer').find((file) => file.endsWith('state.json')) ?? '';
  const newer = JSON.stringify({ format: 2, shells: [] });
  writeFileSync(state, newer);
  const { run } = await open({ session: 'newer' }).call({ command: 'echo "${X-none}"' });
  expect(run.output.text).toBe('none\n');
  expect(run.notes.join()).toContain('was written by a newer nacre (format 2, this nacre reads 1)');
  expect(readFileSync(`${state}.newer`, 'utf8')).toBe(newer);
});

test('the lock of a program that is gone counts for nothing', async () => {
  const bash = open({ session: 'stale' });
  await bash.call({ command: 'X=1' });
  const lock = filesOf('stale').find((file) => /\/lock\.\d+$/.test(file)) ?? '';
  writeFileSync(lock, new LockOwner('gone').token.replace(/ \d+ /, ' 4194000 '));
  expect((await bash.call({ command: 'X=2' })).run).not.toHaveProperty('stateReset');
  expect(await output(bash, 'echo $X')).toBe('2\n');
});

test('a hundred changes in a row leave one state and no heap of files', async () => {
  const bash = open({ session: 'many' });
  for (let at = 1; at <= 100; at++) await bash.call({ command: 'n=$((n + 1))' });
  expect(await output(bash, 'echo $n')).toBe('100\n');
  expect(filesOf('many').length).toBeLessThan(20);
});
