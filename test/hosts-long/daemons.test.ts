import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { isSkipped, useHost } from '../hosts/bench.ts';
import { type EngineControls, openDockerFor } from './containers.ts';

describe.skipIf(isSkipped('docker'))('a daemon of docker', () => {
  let controls: EngineControls | undefined;
  const engine = (): EngineControls => {
    if (controls === undefined) throw new Error('the engine is not there yet');
    return controls;
  };
  const { start, startReady, workspace } = useHost(
    'docker',
    {},
    openDockerFor((given) => {
      controls = given;
    }),
  );
  const read = (name: string): string =>
    existsSync(join(workspace, name)) ? readFileSync(join(workspace, name), 'utf8') : '';
  const sha = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

  test('that is killed and comes back loses no byte, and the command runs once', async () => {
    const { run, output } = await startReady(
      'echo once >>count; echo ready; for i in {1..100}; do head -c 5000 /dev/urandom | base64 | tee -a sent; sleep 0.1; done; exit 9',
    );
    await vi.waitFor(() => expect(output().length).toBeGreaterThan(20_000), { timeout: 20_000 });
    await engine().crash();
    expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 9 });
    expect(sha(output().subarray('ready\n'.length))).toBe(sha(read('sent')));
    expect(read('count')).toBe('once\n');
  });

  test('that is killed while commands are started runs none of them twice', async () => {
    const started = Array.from({ length: 12 }, async (_, i) => {
      if (i === 6) void engine().crash();
      const outcome = await start(`echo once >>start-${i}; exit 3`).then(
        async ({ run }) => (await run.ended).ending,
        (error: { code: string }) => error.code,
      );
      return { i, outcome };
    });
    for (const { i, outcome } of await Promise.all(started)) {
      if (typeof outcome === 'string') {
        expect(['start_unknown', 'host_unreachable']).toContain(outcome);
        expect(['', 'once\n']).toContain(read(`start-${i}`));
        if (outcome === 'host_unreachable') expect(read(`start-${i}`)).toBe('');
      } else {
        expect([outcome, read(`start-${i}`)]).toEqual([{ kind: 'exited', exitCode: 3 }, 'once\n']);
      }
    }
    await vi.waitFor(() => engine().run(['version']), { timeout: 60_000, interval: 200 });
  });

  test('whose container is started again has lost the run, and says so', async () => {
    const { run } = await startReady('echo once >>again; echo ready; while :; do sleep 1000; done');
    engine().run(['restart', '--time', '0', 'nacre']);
    expect((await run.ended).ending.kind).toBe('lost');
    expect(read('again')).toBe('once\n');
    const next = await start('exit 4');
    expect((await next.run.ended).ending).toEqual({ kind: 'exited', exitCode: 4 });
  });
});

describe.skipIf(isSkipped('ssh'))('an sshd', () => {
  const { startReady, sshd, workspace } = useHost('ssh');

  test('that is killed with all its connections and comes back loses nothing', async () => {
    const { run, output } = await startReady(
      'echo once >>count; echo ready; until [[ -e go ]]; do sleep 0.05; done; echo last; exit 3',
    );
    await sshd().crash();
    const more = await startReady('touch go; echo ready');
    await more.run.ended;
    expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 3 });
    expect(output().toString()).toBe('ready\nlast\n');
    expect(readFileSync(join(workspace, 'count'), 'utf8')).toBe('once\n');
  });
});
