import { expect, test } from 'vitest';
import { ProcessScanner } from '../../../src/engine/process/process-scanner.ts';
import { RunStore } from '../../../src/engine/run/run-store.ts';
import { stopRun } from '../../../src/engine/run/stop-run.ts';
import { findMarked, useLocalHost, type Watched } from '../../helpers/local.ts';

const { start, startReady, state } = useLocalHost();

/** Of each run somebody is in its group, and somebody in a session of its own, with nothing of ours open. */
const TREE =
  'setsid sleep 1000 </dev/null >/dev/null 2>&1 & sleep 1000 & until grep -q sleep /proc/$!/comm; do :; done';

/** Everybody of these runs; shells that wait for a command have the marker of this file, too, and are nobody's. */
function left(runs: readonly Watched[]): number[] {
  return runs.flatMap(({ run }) => findMarked(`NACRE_RUN_ID=${run.id}`));
}

test('runs that are stopped at the same moment end each as it would alone, and nobody is left', async () => {
  const runs = await Promise.all(Array.from({ length: 16 }, () => startReady(`${TREE}; echo ready; wait`)));
  const stubborn = await startReady("trap '' TERM; echo ready; while :; do sleep 1000; done");
  await Promise.all([...runs.map(({ run }) => run.stop('abort', 600_000)), stubborn.run.stop('abort', 1)]);
  for (const { run } of runs)
    expect((await run.ended).ending).toEqual({ kind: 'stopped', reason: 'abort', forced: false });
  expect((await stubborn.run.ended).ending).toMatchObject({ reason: 'abort', forced: true });
  await expect.poll(() => left([...runs, stubborn]), { timeout: 20_000 }).toEqual([]);
});

test('the same for runs of somebody else, by one who looks for all of them', async () => {
  const started = await Promise.all(
    Array.from({ length: 8 }, () => start(`${TREE}; wait`, { watcher: 'nobody' })),
  );
  const store = new RunStore(state);
  const scanner = new ProcessScanner();
  const stop = async (id: string): Promise<number> => {
    const run = store.find(id);
    if (run === null) throw new Error(`no run ${id}`);
    return (await stopRun(run, { graceMs: 600_000, scanner })).length;
  };
  await expect.poll(() => left(started).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(8 * 3);
  expect(await Promise.all(started.map(({ run }) => stop(run.id)))).toEqual(Array(8).fill(0));
  const endings = await Promise.all(started.map(({ run }) => run.ended));
  for (const { ending } of endings)
    expect(ending).toEqual({ kind: 'stopped', reason: 'kill', forced: false });
  await expect.poll(() => left(started), { timeout: 20_000 }).toEqual([]);
});
