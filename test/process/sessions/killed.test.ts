import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { createBash } from '../../../src/tool/call/bash.ts';
import { findMarked } from '../../helpers/local.ts';
import { removeDirectory } from '../../helpers/remove-directory.ts';

const place = mkdtempSync(join(tmpdir(), 'nacre-test-'));
afterAll(() => removeDirectory(place));
const HELPER = join(import.meta.dirname, '../../helpers/session-caller.mjs');

/** Killed at the given moment, and gone. */
async function killCaller(stateDirectory: string, words: readonly string[]): Promise<string> {
  const marker = randomUUID();
  const caller = spawn(process.execPath, [HELPER, stateDirectory, ...words], {
    env: { ...process.env, NACRE_TEST_MARKER: marker },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => caller.stdout.once('data', resolve));
  caller.kill('SIGKILL');
  await new Promise((resolve) => caller.once('exit', resolve));
  return `NACRE_TEST_MARKER=${marker}`;
}

test.each([
  ['between two calls', '0', 'between'],
  ['between two calls, with shells ready', '2', 'between'],
  ['in the middle of one', '0', 'middle'],
  ['in the middle of one, with shells ready', '2', 'middle'],
])(
  'a program that is killed %s leaves the session as after its last complete call',
  async (_, ready, when) => {
    const stateDirectory = mkdtempSync(join(place, 'state-'));
    const marker = await killCaller(stateDirectory, [ready, when]);
    const inheritedEnv = { PATH: process.env.PATH, HOME: stateDirectory };
    const bash = createBash({ stateDirectory, session: 'killed', cwd: '/', readyShells: 0, inheritedEnv });
    const look = async (command: string): Promise<string> => (await bash.call({ command })).run.output.text;
    expect(await look('f; pwd')).toBe('f 3\n/usr\n');
    // What it had begun goes on as a job; its end changes nothing any more.
    const running = () => bash.jobs.list().filter(({ state }) => state === 'running');
    // It is a job once its supervisor has seen that nobody waits for it any more.
    const wanted = when === 'middle' ? 1 : 0;
    await vi.waitFor(() => expect(running()).toHaveLength(wanted), { timeout: 20_000, interval: 20 });
    const jobs = running();
    for (const { id } of jobs) await bash.jobs.kill(id, { signal: 'SIGTERM', escalate: true });
    await vi.waitFor(() => expect(findMarked(marker)).toEqual([]), { timeout: 20_000, interval: 20 });
    expect((await bash.call({ command: 'n=4' })).run).not.toHaveProperty('stateReset');
    expect(await look('f')).toBe('f 4\n');
    const files = readdirSync(join(stateDirectory, 'sessions/killed/shell'), {
      recursive: true,
      encoding: 'utf8',
    });
    expect(files.filter((name) => /call-|\.draft/.test(name))).toEqual([]);
    await bash.close();
  },
);

test('a command that becomes a job and ends later changes nothing in the session', async () => {
  const stateDirectory = mkdtempSync(join(place, 'state-'));
  const inheritedEnv = { PATH: process.env.PATH, HOME: stateDirectory };
  const bash = createBash({
    stateDirectory,
    session: 'job',
    cwd: stateDirectory,
    readyShells: 0,
    inheritedEnv,
  });
  const { run } = await bash.call({ command: 'X=1; until [ -e go ]; do sleep 0.02; done', wait: 0 });
  expect(run.stateReset).toBe('job');
  await bash.call({ command: 'touch go' });
  await vi.waitFor(() => expect(bash.jobs.list()[0]).toMatchObject({ state: 'completed' }), {
    timeout: 20_000,
  });
  const files = readdirSync(join(stateDirectory, 'sessions/job/shell'), {
    recursive: true,
    encoding: 'utf8',
  });
  expect(files.filter((name) => name.includes('call-'))).toEqual([]);
  await bash.close();
});
