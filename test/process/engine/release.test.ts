import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createLocalHost } from '../../../src/engine/hosts/local-host.ts';
import { RunStore } from '../../../src/engine/run/run-store.ts';
import { useLocalHost } from '../../helpers/local.ts';

const { request, startReady, start, state } = useLocalHost();
const store = new RunStore(state);

const log = (directory: string): string => readFileSync(join(directory, 'background.log'), 'utf8');

test('a released run goes on, is read to its end, and its log tells it', async () => {
  const { run } = await startReady('echo ready; until [ -e go ]; do sleep 0.01; done; seq 1 1000; exit 3', {
    cwd: state,
  });
  run.release();
  const { run: opener } = await start('touch go', { cwd: state });
  await opener.ended;
  expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 3 });
  const text = log(run.directory);
  expect(text.startsWith('ready\n1\n2\n')).toBe(true);
  expect(text.endsWith('\n999\n1000\n\n\n[background process failed: exit status: 3]\n')).toBe(true);
});

test('however close to its end a run is released, nothing of its log is lost', async () => {
  const rounds = Array.from({ length: 40 }, async (_, round) => {
    const { run } = await start('seq 1 20000; exit 7');
    setTimeout(() => run.release(), round % 12);
    expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 7 });
    return run.directory;
  });
  for (const directory of await Promise.all(rounds)) {
    await vi.waitFor(
      () => {
        const out = readFileSync(join(directory, 'out'), 'utf8');
        expect(out.endsWith('\n20000\n')).toBe(true);
        expect(out.length).toBe(108_894);
        if (existsSync(join(directory, 'background.log')))
          expect(log(directory)).toBe(`${out}\n\n[background process failed: exit status: 7]\n`);
      },
      { timeout: 20_000 },
    );
  }
});

test.each([
  ['in one piece', 1024 ** 3],
  ['in pieces', 24 * 1024 ** 2],
])('of a long output kept %s the log has both ends, and does not double it', async (_, maxBytes) => {
  const keep = { maxBytes, onFull: 'drop_middle', minFreeBytes: 0 } as const;
  const command = 'echo first; head -c 30000000 /dev/zero | tr "\\0" x; echo; echo last';
  const { run } = await start(command, { watcher: 'nobody', keep });
  await run.ended;
  await vi.waitFor(() => expect(log(run.directory)).toMatch(/completed\]\n$/), { timeout: 20_000 });
  const text = log(run.directory);
  expect(text.startsWith('first\nxxx')).toBe(true);
  expect(text).toContain(
    `\n\n[the middle is not in this file: artifact://${run.id} has all that was kept]\n\nxxx`,
  );
  expect(text.endsWith('xxx\nlast\n\n\n[background process completed]\n')).toBe(true);
  expect(text.length).toBeGreaterThan(16 * 1024 ** 2);
  expect(text.length).toBeLessThan(25 * 1024 ** 2);
});

test('closing a host leaves released runs alone', async () => {
  const host = createLocalHost({ stateDirectory: state, onExit: 'end' });
  const run = await host.start(request('echo hi; sleep 1000'));
  run.release();
  await host.close();
  expect(store.find(run.id)?.state).toEqual({ kind: 'running' });
  await run.stop('kill', 0);
  await vi.waitFor(() => expect(log(run.directory)).toContain('[background process failed: signal: '), {
    timeout: 10_000,
  });
});

test('a released run has the limit of a job, not that of its call', async () => {
  const { run } = await startReady('echo ready; sleep 1000', { timeoutMs: 500, jobTimeoutMs: 4_000 });
  const begin = Date.now();
  run.release();
  expect((await run.ended).ending).toMatchObject({ kind: 'stopped', reason: 'timeout' });
  expect(Date.now() - begin).toBeGreaterThan(2_500);
});
