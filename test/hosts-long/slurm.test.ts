import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { createSlurmConnector } from '../../src/engine/hosts/remote/remote-connectors.ts';
import { createRemoteHost } from '../../src/engine/hosts/remote/remote-host.ts';
import { isSkipped, useHost } from '../hosts/bench.ts';
import { proveHost } from '../hosts/conformance.ts';
import { openSlurm, useCluster } from './slurm.ts';

const theCluster = useCluster();

proveHost('slurm', openSlurm(theCluster));

describe.skipIf(isSkipped('slurm'))('jobs of a cluster', () => {
  const { start, request, state, workspace } = useHost('slurm', {}, openSlurm(theCluster));
  /** A restarted controller may take minutes to notice that a job is over. */
  const clearQueue = () =>
    vi.waitFor(() => theCluster().run('scancel', ['--me']), { timeout: 60_000, interval: 500 });
  const queue = (): string => theCluster().run('squeue', ['--noheader', '--format=%j %T']);

  test('what nobody waits for is a job of sbatch, and its output and end come here', async () => {
    const { run } = await start('echo $SLURM_JOB_NAME; echo err >&2; exit 5', { watcher: 'nobody' });
    expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 5 });
    expect(readFileSync(join(run.directory, 'out'), 'utf8')).toBe(`nacre-${run.id}\nerr\n`);
  });

  test('a job that waits in the queue is there at once, and never begins when it is ended', async () => {
    theCluster().run('scontrol', ['update', 'PartitionName=all', 'State=DOWN']);
    const { run } = await start('touch began', { watcher: 'nobody' });
    await expect.poll(queue).toContain(`nacre-${run.id} PENDING`);
    await run.stop('kill', 3000);
    await expect.poll(queue).not.toContain(run.id);
    theCluster().run('scontrol', ['update', 'PartitionName=all', 'State=UP']);
    expect(() => readFileSync(join(workspace, 'began'))).toThrow();
  });

  test('a job that waits in the queue is told the end of its input, and that nobody waits, when it runs', async () => {
    theCluster().run('scontrol', ['update', 'PartitionName=all', 'State=DOWN']);
    const { run } = await start('cat', { watcher: 'nobody', input: { kind: 'open' } });
    const waiting = await start('echo first', {});
    await expect.poll(queue).toContain(`nacre-${waiting.run.id} PENDING`);
    waiting.run.release();
    await run.send('text\n');
    await run.endInput();
    await pause(2000);
    theCluster().run('scontrol', ['update', 'PartitionName=all', 'State=UP']);
    for (const each of [run, waiting.run])
      expect((await each.ended).ending).toEqual({ kind: 'exited', exitCode: 0 });
    expect(readFileSync(join(run.directory, 'out'), 'utf8')).toBe('text\n');
    expect(readFileSync(join(waiting.run.directory, 'out'), 'utf8')).toBe('first\n');
  });

  test('a limit is held to the second, not to the minute', async () => {
    const { run } = await start('echo before; sleep 1000', { watcher: 'nobody', timeoutMs: 2000 });
    expect((await run.ended).ending).toMatchObject({ kind: 'stopped', reason: 'timeout' });
    await expect.poll(queue, { timeout: 20_000 }).not.toContain(run.id);
  });

  test('a job that is ended leaves nothing in the queue', async () => {
    const { run } = await start('sleep 1000', { watcher: 'nobody' });
    await expect.poll(queue, { timeout: 20_000 }).toContain(`nacre-${run.id} RUNNING`);
    await run.stop('kill', 1000);
    await expect.poll(queue, { timeout: 20_000 }).not.toContain(run.id);
  });

  test('a job that the cluster ended is lost, and says so', async () => {
    const { run } = await start('sleep 1000', { watcher: 'nobody' });
    await expect.poll(queue, { timeout: 20_000 }).toContain(`nacre-${run.id} RUNNING`);
    theCluster().run('scancel', [`--name=nacre-${run.id}`]);
    expect(['lost', 'signaled', 'stopped']).toContain((await run.ended).ending.kind);
  });

  test('a controller that is killed and comes back loses nothing, and nothing runs twice', async () => {
    const { run } = await start('echo once >>count1; until [[ -e go1 ]]; do sleep 0.1; done; exit 7', {
      watcher: 'nobody',
    });
    await expect.poll(() => existsSync(join(workspace, 'count1')), { timeout: 30_000 }).toBe(true);
    // The controller restarts jobs that it had not saved yet: the run would then be lost, but not run twice.
    await pause(10_000);
    await theCluster().crash('slurmctld', 3000);
    writeFileSync(join(workspace, 'go1'), '');
    expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 7 });
    expect(readFileSync(join(workspace, 'count1'), 'utf8')).toBe('once\n');
    await clearQueue();
  });

  test('nodes whose daemons are killed go on with what they run, and nothing runs twice', async () => {
    const { run } = await start('echo once >>count2; until [[ -e go2 ]]; do sleep 0.1; done; exit 8', {
      watcher: 'nobody',
    });
    await expect.poll(() => existsSync(join(workspace, 'count2')), { timeout: 30_000 }).toBe(true);
    await theCluster().crash('slurmd', 1000);
    writeFileSync(join(workspace, 'go2'), '');
    expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 8 });
    expect(readFileSync(join(workspace, 'count2'), 'utf8')).toBe('once\n');
  });

  test('a submission without a controller is in doubt or refused, and runs once at most', async () => {
    const { crash } = theCluster();
    const down = crash('slurmctld', 8000);
    const outcome = await start('echo once >>count3', { watcher: 'nobody' }).then(
      async ({ run }) => (await run.ended).ending.kind,
      (error: { code: string }) => error.code,
    );
    expect(['exited', 'start_unknown', 'host_unreachable']).toContain(outcome);
    await down;
    await clearQueue();
    const count = existsSync(join(workspace, 'count3'))
      ? readFileSync(join(workspace, 'count3'), 'utf8')
      : '';
    expect(['', 'once\n']).toContain(count);
    if (outcome === 'exited') expect(count).toBe('once\n');
  });

  test('a job is sent its input while it runs, whoever brings it', async () => {
    const open = await start('read -r a; echo "got $a"; cat', { watcher: 'nobody', input: { kind: 'open' } });
    await open.run.send('first\n');
    await open.run.send('rest\n');
    await open.run.endInput();
    expect((await open.run.ended).ending).toEqual({ kind: 'exited', exitCode: 0 });
    expect(readFileSync(join(open.run.directory, 'out'), 'utf8')).toBe('got first\nrest\n');
    writeFileSync(join(state, 'given'), 'given\n');
    const fd = openSync(join(state, 'given'), 'r');
    const { run } = await start('cat', { watcher: 'nobody', input: { kind: 'descriptor', fd } });
    closeSync(fd);
    expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 0 });
    expect(readFileSync(join(run.directory, 'out'), 'utf8')).toBe('given\n');
  });

  test('a partition that is not there is said in the words of the cluster', async () => {
    const client = createSlurmConnector({
      shell: 'bash',
      env: theCluster().env,
      options: ['--partition=nowhere'],
    });
    const host = createRemoteHost({
      name: 'slurm',
      connector: client,
      shell: 'bash',
      stateDirectory: state,
      onExit: 'end',
    });
    for (const watcher of ['nobody', 'reader'] as const)
      await expect(host.start(request('true', { watcher }))).rejects.toMatchObject({
        code: 'host_unreachable',
        message: expect.stringMatching(/invalid partition/i),
      });
    await host.close();
  });
});
