import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { RunStore } from '../../../src/engine/run/run-store.ts';
import { signalRun, stopRun } from '../../../src/engine/run/stop-run.ts';
import { eventually } from '../../helpers/eventually.ts';
import { useLocalHost } from '../../helpers/local.ts';

const { start, state } = useLocalHost();
const store = new RunStore(state);

function find(id: string) {
  const found = store.find(id);
  if (found === null) throw new Error(`no run ${id}`);
  return found;
}

async function stopAll(id: string): Promise<void> {
  await eventually(() => expect(find(id).state).toMatchObject({ kind: 'ended' }));
  expect(await stopRun(find(id), { graceMs: 0 })).toEqual([]);
  await vi.waitFor(() => expect(find(id).state).toMatchObject({ leftoverPids: [] }), { timeout: 10_000 });
}

test.each([
  ['sleep 1000 & echo done', 'sleep 1000'],
  ['nohup sleep 1001 >/dev/null 2>&1 & echo done', 'sleep 1001'],
  ['setsid sleep 1002 >/dev/null 2>&1 & sleep 0.05; echo done', 'sleep 1002'],
  ['(sleep 1003; echo) & disown -a; echo done', 'sleep 1003'],
])('`%s` returns at once, and names who stays', async (command, name) => {
  const { run, output } = await start(command);
  const { ending, leftovers } = await run.ended;
  expect(ending).toEqual({ kind: 'exited', exitCode: 0 });
  expect(output()).toBe('done\n');
  expect(leftovers.map((process) => process.command)).toContainEqual(expect.stringContaining(name));
  await stopAll(run.id);
});

test('what stays behind can write on: it does not die of a closed pipe, and its output is kept', async () => {
  const { run } = await start('(until [ -e go ]; do sleep 0.01; done; echo late; echo later) & echo done', {
    cwd: state,
  });
  await run.ended;
  const file = join(run.directory, 'out');
  expect(readFileSync(file, 'utf8')).toBe('done\n');
  const { run: opener } = await start('touch go', { cwd: state });
  await opener.ended;
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toBe('done\nlate\nlater\n'), { timeout: 10_000 });
  await vi.waitFor(() => expect(find(run.id).state).toMatchObject({ leftoverPids: [] }), { timeout: 10_000 });
});

test('a leftover that writes as fast as it can does not hold the call', async () => {
  const { run } = await start('yes & echo done');
  expect((await run.ended).leftovers.map((process) => process.command)).toEqual([
    expect.stringContaining('yes'),
  ]);
  await stopAll(run.id);
});

test('a signal to a run of somebody else reaches who stayed', async () => {
  const { run } = await start('sleep 1000 & echo done');
  await run.ended;
  await eventually(() => expect(find(run.id).state).toMatchObject({ kind: 'ended' }));
  expect(await signalRun(find(run.id), { signal: 'SIGTERM' })).toBe(1);
  await vi.waitFor(() => expect(find(run.id).state).toMatchObject({ leftoverPids: [] }), { timeout: 10_000 });
});
