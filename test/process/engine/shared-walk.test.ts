import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readBootId } from '../../../src/engine/process/proc-reader.ts';
import { RunStore } from '../../../src/engine/run/run-store.ts';
import { stopRun } from '../../../src/engine/run/stop-run.ts';
import { useLocalHost } from '../../helpers/local.ts';

const { start, state } = useLocalHost();
const store = new RunStore(state);
const walk = join(state, 'walk');

/** Leaves somebody behind who is known by its mark alone: in a session of its own, with nothing of ours open. */
const LEAVES = 'setsid sleep 1000 </dev/null >/dev/null 2>&1 & until grep -q sleep /proc/$!/comm; do :; done';

function behind(id: string): readonly number[] {
  const state = store.find(id)?.state;
  return state?.kind === 'ended' ? state.leftoverPids : [];
}

async function clear(id: string): Promise<void> {
  const run = store.find(id);
  if (run !== null) expect(await stopRun(run, { graceMs: 1_000 })).toEqual([]);
  await expect.poll(() => existsSync(join(store.directoryOf(id), 'behind')), { timeout: 20_000 }).toBe(false);
}

async function startJob(command: string): Promise<string> {
  const { run } = await start(command, { watcher: 'nobody' });
  return run.id;
}

test('jobs that end together each find who they left behind, and nobody else', async () => {
  const commands = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? LEAVES : 'exit 3'));
  const ids = await Promise.all(commands.map(startJob));
  const leavers = ids.filter((_, i) => i % 2 === 0);
  for (const id of leavers) await expect.poll(() => behind(id), { timeout: 20_000 }).toHaveLength(1);
  expect(new Set(leavers.flatMap(behind)).size).toBe(leavers.length);
  for (const id of ids.filter((id) => !leavers.includes(id)))
    expect(existsSync(join(store.directoryOf(id), 'behind'))).toBe(false);
  await Promise.all(leavers.map(clear));
});

test.each([
  ['who was making one was killed', () => writeFileSync(`${walk}.new`, `1 ${readBootId()} 4194000 77\n`)],
  ['one was begun and nobody wrote who', () => writeFileSync(`${walk}.new`, '')],
  ['the last one is of another namespace', () => writeFileSync(walk, `${1e12} ${readBootId()} 1 1\n`)],
  ['the last one is of before a restart', () => writeFileSync(walk, `${1e12} another-boot 1 1\n`)],
])('a walk is made all the same when %s', async (_, spoil) => {
  spoil();
  const id = await startJob(LEAVES);
  await expect.poll(() => behind(id), { timeout: 20_000 }).toHaveLength(1);
  await clear(id);
});

test('what is left after a walk is the walk alone', async () => {
  const id = await startJob(LEAVES);
  await expect.poll(() => behind(id), { timeout: 20_000 }).toHaveLength(1);
  await clear(id);
  expect(existsSync(`${walk}.new`)).toBe(false);
  expect(readFileSync(walk, 'latin1')).toMatch(/^\d+ \S+ \d+ \d+\n\d+ \(/);
});
