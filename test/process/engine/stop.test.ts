import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createLocalHost } from '../../../src/engine/hosts/local-host.ts';
import { findMarked, useLocalHost } from '../../helpers/local.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const { request, start, startReady } = useLocalHost();

const FOREVER = 'while :; do sleep 1000; done';

test('a time limit ends a command, and what it printed stays', async () => {
  const { run, output } = await start(`echo before; ${FOREVER}`, { timeoutMs: 500 });
  expect((await run.ended).ending).toEqual({ kind: 'stopped', reason: 'timeout', forced: false });
  expect(output()).toBe('before\n');
});

test('a command that ignores TERM is killed once the grace is over', async () => {
  const { run } = await startReady(`trap '' TERM; echo ready; ${FOREVER}`);
  await run.stop('abort', 1);
  expect((await run.ended).ending).toEqual({ kind: 'stopped', reason: 'abort', forced: true });
});

test('a command that tidies up on TERM has the time for it', async () => {
  const { run, output } = await startReady(`trap 'echo tidied; exit' TERM; echo ready; ${FOREVER} & wait`);
  await run.stop('abort', 60_000);
  expect((await run.ended).ending).toEqual({ kind: 'stopped', reason: 'abort', forced: false });
  expect(output()).toContain('tidied');
});

test.each([
  ['a child', 'sleep 1000 & echo ready; wait'],
  ['a child in a session of its own', 'setsid sleep 1000 & echo ready; wait'],
  [
    'a daemon that forked twice and closed everything',
    '(setsid bash -c "sleep 1000 & sleep 1000" </dev/null >/dev/null 2>&1 &); echo ready; sleep 1000',
  ],
  ['a child that cleared its environment', 'env -i sleep 1000 & echo ready; wait'],
  [
    'a child that cleared its environment, left its session and holds the output',
    'env -i setsid sleep 1000 & sleep 0; echo ready; wait',
  ],
  [
    'a child that cleared its environment, left its session and closed everything, as long as its parent lives',
    'env -i setsid sleep 1000 </dev/null >/dev/null 2>&1 & sleep 0.05; echo ready; wait',
  ],
  ['a stopped child', 'sleep 1000 & kill -STOP $!; echo ready; wait'],
  [
    'a hundred daemons that ignore TERM',
    `for i in {1..100}; do (trap '' TERM; exec setsid sleep 1000) & done; echo ready; wait`,
  ],
])('%s dies with the command', async (_, command) => {
  const { run } = await startReady(command);
  await run.stop('abort', 50);
  expect((await run.ended).survivors).toEqual([]);
});

test('a stopped child that is in the way does not outlive the grace', async () => {
  const { run } = await startReady(`bash -c 'trap "" TERM; kill -STOP $$' & echo ready; wait`);
  await run.stop('timeout', 50);
  expect((await run.ended).survivors).toEqual([]);
});

test('nobody is told twice to end', async () => {
  const { run, output } = await startReady(
    "trap 'echo told' TERM; echo ready; for i in 1 2 3 4 5; do sleep 0.1; done",
  );
  await run.stop('abort', 60_000);
  expect(output().match(/told/g)).toHaveLength(1);
});

test('stopping one run leaves its neighbour alone', async () => {
  const [first, second] = await Promise.all([
    startReady('echo ready; sleep 1000'),
    startReady('echo ready; read -t 1; exit 4'),
  ]);
  await first.run.stop('abort');
  expect((await second.run.ended).ending).toEqual({ kind: 'exited', exitCode: 4 });
});

test('the first reason counts, and there is one', async () => {
  const { run } = await startReady('echo ready; sleep 1000');
  await Promise.all([run.stop('timeout'), run.stop('abort')]);
  expect((await run.ended).ending).toMatchObject({ reason: 'timeout' });
});

test('a second stop shortens the grace of the first', async () => {
  const { run } = await startReady(
    `trap '' TERM; setsid bash -c "trap '' TERM; sleep 1000" & echo ready; ${FOREVER}`,
  );
  const first = run.stop('abort', 15_000_000);
  await run.stop('abort', 0);
  await first;
  expect((await run.ended).ending).toEqual({ kind: 'stopped', reason: 'abort', forced: true });
});

test('a signal is sent as it is, and nothing more', async () => {
  const { run, output } = await startReady(
    "trap 'echo got; exit 9' USR1; echo ready; while :; do sleep 0.01; done",
  );
  run.signal('SIGUSR1');
  expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 9 });
  expect(output()).toContain('got');
});

test('a host that is closed while a command starts ends it, and waits for that', async () => {
  const stateDirectory = temporaryDirectory();
  const host = createLocalHost({ stateDirectory, onExit: 'end' });
  const starting = host.start(request(FOREVER));
  // Made before the supervisor is started, which takes some milliseconds.
  const runs = join(stateDirectory, 'runs');
  await vi.waitUntil(() => existsSync(runs) && readdirSync(runs).length > 0, {
    timeout: 30_000,
    interval: 0,
  });
  await host.close();
  const run = await starting;
  expect(findMarked(`NACRE_RUN_ID=${run.id}`)).toEqual([]);
  expect((await run.ended).ending).toMatchObject({ kind: 'stopped', reason: 'shutdown' });
});
