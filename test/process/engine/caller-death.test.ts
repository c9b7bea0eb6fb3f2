import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { RunStore } from '../../../src/engine/run/run-store.ts';
import { eventually } from '../../helpers/eventually.ts';
import { useLocalHost } from '../../helpers/local.ts';

const { state, marker } = useLocalHost();
const store = new RunStore(state);

/** Starts a program that starts a command, and waits until the command is on its way. */
async function startCaller(...options: string[]): Promise<{ caller: ChildProcess; id: string }> {
  const [name = '', value = ''] = marker.split('=');
  const script = join(import.meta.dirname, '../../helpers/caller.mjs');
  const caller = spawn(process.execPath, [script, '--state', state, ...options], {
    env: { ...process.env, [name]: value },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const id = await new Promise<string>((resolve) =>
    caller.stdout?.once('data', (data) => resolve(String(data).trim())),
  );
  return { caller, id };
}

async function outcome(id: string): Promise<{ kind: string }> {
  return vi.waitFor(
    () => {
      const found = store.find(id)?.state;
      if (found?.kind !== 'ended' || found.leftoverPids.length > 0)
        throw new Error(`not over: ${JSON.stringify(found)}`);
      return found.ending;
    },
    { timeout: 30_000, interval: 20 },
  );
}

const output = (id: string, name = 'out'): string => readFileSync(join(store.directoryOf(id), name), 'utf8');

const GATE = 'until [ -e gate ]; do sleep 0.01; done';

test('a command outlives a caller that is killed, and its output and end are kept', async () => {
  const { caller, id } = await startCaller('--command', 'sleep 0.3; echo one; sleep 0.1; echo two; exit 7');
  caller.kill('SIGKILL');
  expect(await outcome(id)).toEqual({ kind: 'exited', exitCode: 7 });
  expect(output(id)).toBe('one\ntwo\n');
});

test('a time limit holds without the caller', async () => {
  const { caller, id } = await startCaller(
    '--timeout',
    '1000',
    '--command',
    'trap "" TERM; while :; do sleep 1000; done',
  );
  caller.kill('SIGKILL');
  expect(await outcome(id)).toEqual({ kind: 'stopped', reason: 'timeout', forced: true });
});

test('a foreground run ends with a caller that exits', async () => {
  const { id } = await startCaller('--exit', '--command', 'sleep 1000');
  expect(await outcome(id)).toEqual({ kind: 'stopped', reason: 'shutdown', forced: false });
});

test.each([
  ['echo hi', '[background process completed]'],
  ['echo hi; exit 3', '[background process failed: exit status: 3]'],
  ['echo hi; kill -KILL $$', '[background process failed: signal: 9 (SIGKILL)]'],
])(
  '`%s` goes on in the background when its caller exits, and its log tells the end',
  async (command, last) => {
    const { id } = await startCaller('--exit', '--watcher', 'nobody', '--command', `sleep 0.2; ${command}`);
    await outcome(id);
    expect(output(id, 'background.log')).toBe(`hi\n\n\n${last}\n`);
    expect(output(id)).toBe('hi\n');
  },
);

test('a gate that never opens does not matter to a caller that was killed while output flowed', async () => {
  const { caller, id } = await startCaller(
    '--command',
    `seq 1 200000; ${GATE.replace('gate', '"$HOME/nacre-no-gate"')}`,
    '--timeout',
    '2000',
  );
  caller.kill('SIGKILL');
  expect(await outcome(id)).toMatchObject({ kind: 'stopped', reason: 'timeout' });
  const lines = output(id).split('\n');
  expect(lines.at(-2)).toBe('200000');
});

test('output of a million lines is whole when nobody ever reads it', async () => {
  const { id } = await startCaller('--exit', '--watcher', 'nobody', '--command', 'seq 1 1000000');
  expect(await outcome(id)).toEqual({ kind: 'exited', exitCode: 0 });
  const text = output(id);
  expect(text.length).toBe(6_888_896);
  expect(text.endsWith('\n999999\n1000000\n')).toBe(true);
});

test('a run whose directory was deleted ends all the same, and its supervisor with it', async () => {
  const { caller, id } = await startCaller('--command', 'echo hi; sleep 1000', '--timeout', '1000');
  caller.kill('SIGKILL');
  await eventually(() => expect(readdirSync(store.directoryOf(id))).toContain('gone'));
  rmSync(store.directoryOf(id), { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
  // The check at the end of this file fails if anybody is left.
});
