import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isSkipped, useHost } from '../hosts/bench.ts';
import { canMakeMachines, type FarMachine, startFarMachine } from './far-machine.ts';

const FOREVER = 'while :; do sleep 1000; done';

/** ssh gives up a connection after this long without an answer. */
const CONNECTION_DIES_MS = 14_000;

describe.skipIf(isSkipped('ssh') || !canMakeMachines())('another machine, another user, a cable', () => {
  let machine: FarMachine | undefined;
  const far = (): FarMachine => {
    if (machine === undefined) throw new Error('the machine is not there yet');
    return machine;
  };
  beforeAll(async () => {
    machine = await startFarMachine();
  });
  afterAll(() => machine?.stop());
  const { start, startReady, ask, workspace } = useHost('ssh', {}, (places) => far().open(places));
  const read = (name: string): string => readFileSync(join(workspace, name), 'utf8');

  test('commands run as that user', async () => {
    expect(await ask('id -un; cat /etc/shadow 2>/dev/null || echo denied')).toMatch(/^nacre\d+\ndenied\n$/);
  });

  test('a cable that is pulled out long enough loses nothing, and the command runs once', async () => {
    const { run, output } = await startReady(
      'echo once >>count; echo ready; for i in {1..200}; do head -c 2000 /dev/urandom | base64 | tee -a sent; sleep 0.1; done; exit 9',
    );
    await vi.waitFor(() => expect(output().length).toBeGreaterThan(20_000), { timeout: 20_000 });
    far().plug('down');
    await pause(CONNECTION_DIES_MS);
    far().plug('up');
    expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 9 });
    const hash = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
    expect(hash(output().subarray('ready\n'.length))).toBe(hash(read('sent')));
    expect(read('count')).toBe('once\n');
  });

  test('the limit holds over there while the cable is out, and here at once', async () => {
    const { run } = await start(`echo $$ >limited; ${FOREVER}`, { timeoutMs: 4000, graceMs: 500 });
    await vi.waitFor(() => expect(read('limited')).not.toBe(''), { timeout: 20_000 });
    far().plug('down');
    const { ending } = await run.ended;
    expect(ending).toMatchObject({ kind: 'stopped', reason: 'timeout' });
    expect(isThere(Number(read('limited')))).toBe(true);
    await expect.poll(() => isThere(Number(read('limited'))), { timeout: 40_000 }).toBe(false);
    far().plug('up');
  });

  test('an abort while the cable is out arrives when it is back', async () => {
    const { run } = await startReady(`echo $$ >aborted; echo ready; ${FOREVER}`);
    far().plug('down');
    await run.stop('abort', 500);
    expect(isThere(Number(read('aborted')))).toBe(true);
    far().plug('up');
    await expect.poll(() => isThere(Number(read('aborted'))), { timeout: 60_000 }).toBe(false);
  });
});

function isThere(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
