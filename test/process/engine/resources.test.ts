import { readdirSync, readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { findMarked, useLocalHost } from '../../helpers/local.ts';

const { start, startReady, marker } = useLocalHost(0);

const descriptors = (): number => readdirSync('/proc/self/fd').length;
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

/** What this process holds once nothing is going on. */
async function settled(): Promise<{ fds: number; handles: string[] }> {
  const handles = (): string[] =>
    process.getActiveResourcesInfo().filter((name) => /Process|Pipe/.test(name));
  await vi.waitFor(() => expect(findMarked(marker)).toEqual([]), { timeout: 20_000 });
  return eventually(() => ({ fds: descriptors(), handles: handles() }));
}

async function runAll(): Promise<void> {
  const normal = await start('echo hi; exit 3', { streams: 'apart', timeoutMs: 60_000 });
  const failed = await start('nonsense', { pipeStatus: true });
  const left = await start('sleep 0.1 & echo done');
  const background = await start('sleep 0.1', { watcher: 'nobody' });
  const stopped = await startReady('echo ready; sleep 1000', { timeoutMs: 600_000 });
  await stopped.run.stop('abort', 10);
  const lost = await startReady(
    "trap 'kill -KILL $PPID; exit 0' USR1; echo ready; while :; do sleep 0.01; done",
  );
  lost.run.signal('SIGUSR1');
  await expect(start('true', { shell: '/nonexistent' })).rejects.toThrow();
  await Promise.all([normal, failed, left, background, stopped, lost].map(({ run }) => run.ended));
}

/** Each round starts some twenty processes one after the other: on a busy machine that takes its time. */
const PATIENCE_MS = 180_000;

test('no descriptor, process or timer is left on any path', { timeout: PATIENCE_MS }, async () => {
  await runAll();
  const before = await settled();
  const timersBefore = timers();
  for (let round = 0; round < 4; round++) await runAll();
  const more = async (): Promise<number[]> => {
    const { fds, handles } = await settled();
    return [Math.max(0, fds - before.fds), Math.max(0, handles.length - before.handles.length)];
  };
  await vi.waitFor(async () => expect(await more()).toEqual([0, 0]), { timeout: 60_000, interval: 50 });
  expect(timers()).toBeLessThanOrEqual(timersBefore + 1);
});

test('nothing is held for a run that nobody waits for: no descriptor, no handle, and it is not our child', async () => {
  const held = (): unknown => [
    descriptors(),
    process.getActiveResourcesInfo().filter((name) => name !== 'Timeout'),
  ];
  const { run: first } = await start('true', { watcher: 'nobody' });
  await first.ended;
  const before = await settled().then(held);
  const runs = await Promise.all(
    Array.from({ length: 5 }, async () => (await start('sleep 1000', { watcher: 'nobody' })).run),
  );
  await vi.waitFor(() => expect(held()).toEqual(before), { timeout: 20_000 });
  for (const { directory } of runs) {
    const [, supervisor = ''] = /^supervisor (\d+)/m.exec(readFileSync(`${directory}/who`, 'latin1')) ?? [];
    const [, parent = ''] = /\) \S (\d+)/.exec(readFileSync(`/proc/${supervisor}/stat`, 'latin1')) ?? [];
    expect(Number(parent)).not.toBe(process.pid);
  }
  await Promise.all(runs.map((run) => run.stop('kill', 100)));
  for (const { ended } of runs)
    expect((await ended).ending).toMatchObject({ kind: 'stopped', reason: 'kill' });
});

test('two hundred runs at once all end, each with its own output', async () => {
  const numbers = Array.from({ length: 200 }, (_, index) => index);
  const outputs = await Promise.all(
    numbers.map(async (number) => {
      const { run, output } = await start(`echo ${number}; exit ${number % 100}`);
      const { ending } = await run.ended;
      return [output(), ending];
    }),
  );
  expect(outputs).toEqual(
    numbers.map((number) => [`${number}\n`, { kind: 'exited', exitCode: number % 100 }]),
  );
});
