import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { RunStore } from '../../src/engine/run/run-store.ts';
import { isSkipped, useHost } from './bench.ts';

const FOREVER = 'while :; do sleep 1000; done';

describe.skipIf(isSkipped('ssh'))('a link', () => {
  const { startReady, sshd, workspace, state } = useHost('ssh');

  test('a link that is cut again and again loses no byte, and the command runs once', async () => {
    const { run, output } = await startReady(
      'echo once >>count; echo ready; for i in {1..60}; do head -c 20000 /dev/urandom | base64 | tee -a sent; sleep 0.05; done; exit 9',
    );
    for (let cuts = 0; cuts < 3; cuts++) {
      const seen = output().length;
      await vi.waitFor(() => expect(output().length).toBeGreaterThan(seen + 50_000), {
        timeout: 40_000,
        interval: 20,
      });
      sshd().cut();
    }
    expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 9 });
    const sent = readFileSync(join(workspace, 'sent'));
    expect(sha(output().subarray('ready\n'.length))).toBe(sha(sent));
    expect(readFileSync(join(workspace, 'count'), 'utf8')).toBe('once\n');
  });

  test('a command that ends while the link is cut has ended when the link is back', async () => {
    const { run, output } = await startReady(
      'echo ready; until [[ -e go ]]; do sleep 0.05; done; echo last; exit 3',
    );
    sshd().cut();
    writeFileSync(join(workspace, 'go'), '');
    expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 3 });
    expect(output().toString()).toBe('ready\nlast\n');
  });

  test('a limit holds over there when the link is cut for good', async () => {
    const { run } = await startReady(`echo $$ >pid; echo ready; ${FOREVER}`);
    const pid = Number(readFileSync(join(workspace, 'pid'), 'utf8'));
    await run.stop('timeout', 500);
    await expect.poll(() => isThere(pid), { timeout: 20_000 }).toBe(false);
  });

  test('a run goes on when its stand-in is asked to end, and is ended over there', async () => {
    const { run } = await startReady(`echo $$ >pid2; echo ready; ${FOREVER}`, { watcher: 'reader' });
    run.release();
    const stored = new RunStore(state).find(run.id);
    expect(stored?.state.kind).toBe('running');
    await run.stop('kill', 1000);
    await expect
      .poll(() => isThere(Number(readFileSync(join(workspace, 'pid2'), 'utf8'))), { timeout: 20_000 })
      .toBe(false);
  });

  test('a command whose supervisor over there is killed is lost, and nobody waits for it', async () => {
    const { run } = await startReady(`echo $PPID >above; echo ready; ${FOREVER}`);
    process.kill(Number(readFileSync(join(workspace, 'above'), 'utf8')), 'SIGKILL');
    expect((await run.ended).ending.kind).toBe('lost');
  });

  test('what is sent to a command arrives once and in order, however often the link is cut', async () => {
    const { run, output } = await startReady('echo ready; sha256sum', { input: { kind: 'open' } });
    const hash = createHash('sha256');
    for (let piece = 0; piece < 30; piece++) {
      const bytes = `${piece} ${'x'.repeat(piece * 300)}\n`;
      hash.update(bytes);
      await run.send(bytes);
      if (piece % 10 === 5) sshd().cut();
    }
    await run.endInput();
    expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 0 });
    expect(output().toString()).toContain(hash.digest('hex'));
  });

  test('the end of an input is not a link that is cut', async () => {
    const { run, output } = await startReady('echo ready; cat; echo over', { input: { kind: 'open' } });
    await run.send('one\n');
    await vi.waitFor(() => expect(output().toString()).toContain('one'), { timeout: 20_000 });
    sshd().cut();
    await run.send('two\n');
    await vi.waitFor(() => expect(output().toString()).toContain('two'), { timeout: 20_000 });
    expect(output().toString()).not.toContain('over');
    await run.endInput();
    await run.ended;
    expect(output().toString()).toBe('ready\none\ntwo\nover\n');
  });
});

function isThere(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

function sha(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
