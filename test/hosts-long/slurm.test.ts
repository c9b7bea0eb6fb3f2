import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSkipped, useHost } from '../hosts/bench.ts';
import { proveHost } from '../hosts/conformance.ts';
import { type Cluster, openSlurm, startCluster } from './slurm.ts';

let cluster: Cluster | undefined;
const theCluster = (): Cluster => {
  if (cluster === undefined) throw new Error('the cluster is not there yet');
  return cluster;
};

beforeAll(async () => {
  if (!isSkipped('slurm')) cluster = await startCluster();
});
afterAll(() => cluster?.stop());

proveHost('slurm', openSlurm(theCluster));

describe.skipIf(isSkipped('slurm'))('jobs of a cluster', () => {
  const { start, workspace } = useHost('slurm', {}, openSlurm(theCluster));
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
});
