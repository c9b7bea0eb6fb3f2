import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { KeepLimits } from '../../../src/engine/hosts/host.ts';
import { createLocalHost } from '../../../src/engine/hosts/local-host.ts';
import { RunStore } from '../../../src/engine/run/run-store.ts';
import { useLocalHost } from '../../helpers/local.ts';

const { start, request, state } = useLocalHost();
const store = new RunStore(state);

const keep = (maxBytes: number, more: Partial<KeepLimits> = {}): { keep: KeepLimits } => ({
  keep: { maxBytes, onFull: 'drop_middle', minFreeBytes: 0, ...more },
});

/** The pieces of a stream on disk: where they begin, and what they hold. */
function pieces(directory: string): [number, string][] {
  return readdirSync(directory)
    .filter((name) => /^out(\.\d+)?$/.test(name))
    .map((name): [number, string] => [
      Number(name.split('.')[1] ?? 0),
      readFileSync(join(directory, name), 'latin1'),
    ])
    .sort(([a], [b]) => a - b);
}

const over = (id: string): Promise<void> =>
  vi.waitFor(() => expect(store.find(id)?.state).toMatchObject({ kind: 'ended', leftoverPids: [] }), {
    timeout: 30_000,
  });

const WHOLE = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join('');

test.each(['reader', 'nobody'] as const)(
  'beyond its cap a run goes on, its middle is dropped, and what is kept is exact (%s)',
  async (watcher) => {
    const maxBytes = 100_000;
    const { run } = await start('seq 1 100000', { watcher, ...keep(maxBytes) });
    await run.ended;
    await over(run.id);
    const kept = pieces(run.directory);
    expect(kept.reduce((sum, [, text]) => sum + text.length, 0)).toBeLessThanOrEqual(maxBytes);
    for (const [offset, text] of kept) expect(text).toBe(WHOLE.slice(offset, offset + text.length));
    expect(kept[0]).toEqual([0, WHOLE.slice(0, maxBytes / 2)]);
    const [lastOffset, last] = kept.at(-1) ?? [0, ''];
    expect(lastOffset + last.length).toBe(WHOLE.length);
  },
);

test.each(['reader', 'nobody'] as const)(
  'a cap that ends the run ends it, and says why (%s)',
  async (watcher) => {
    const { run } = await start('yes', { watcher, ...keep(100_000, { onFull: 'stop' }) });
    expect((await run.ended).ending).toMatchObject({ kind: 'stopped', reason: 'output_limit' });
    expect(pieces(run.directory).map(([offset, text]) => [offset, text.length])).toEqual([[0, 100_000]]);
  },
);

test('output that fits its cap to the byte does not end the run', async () => {
  const { run } = await start('head -c 100000 /dev/zero', keep(100_000, { onFull: 'stop' }));
  expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 0 });
});

test.each(['reader', 'nobody'] as const)('a cap of nothing keeps nothing (%s)', async (watcher) => {
  const { run } = await start('seq 1 100000', { watcher, ...keep(0) });
  expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 0 });
  expect(pieces(run.directory).every(([, text]) => text === '')).toBe(true);
});

test('no run starts on a disk below its floor', async () => {
  const limits = keep(1000, { minFreeBytes: 2 ** 60 });
  await expect(start('echo hi', limits)).rejects.toMatchObject({ code: 'disk_low' });
});

const canMount = spawnSync('mount', ['--version']).status === 0 && process.getuid?.() === 0;

test.skipIf(!canMount).each(['reader', 'nobody'] as const)(
  'on a full disk the command goes on, its end is recorded, and the loss is told (%s)',
  async (watcher) => {
    const disk = mkdtempSync(join(tmpdir(), 'nacre-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', disk]);
    const host = createLocalHost({ stateDirectory: disk, onExit: 'end' });
    try {
      const run = await host.start(request('seq 1 1000000; exit 5', { watcher }));
      const { ending, notes } = await run.ended;
      expect(ending).toEqual({ kind: 'exited', exitCode: 5 });
      if (watcher === 'reader') expect(notes.join()).toMatch(/could not be kept/);
      expect(new RunStore(disk).find(run.id)?.state).toMatchObject({
        kind: 'ended',
        ending: { exitCode: 5 },
      });
      expect(statSync(join(run.directory, 'out')).size).toBeGreaterThan(0);
    } finally {
      await host.close();
      await vi.waitFor(() => execFileSync('umount', [disk], { stdio: 'ignore' }), { timeout: 10_000 });
      rmSync(disk, { recursive: true, force: true });
    }
  },
);
