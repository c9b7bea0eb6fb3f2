import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { createSlurmConnector } from '../../src/engine/hosts/remote/remote-connectors.ts';
import { createRemoteHost } from '../../src/engine/hosts/remote/remote-host.ts';
import { removeDirectory } from '../helpers/remove-directory.ts';
import { isSkipped, type Open } from '../hosts/bench.ts';
import { freePort } from '../hosts/sshd.ts';

const NODES = ['n1', 'n2'];

export interface Cluster {
  /** Variables that Slurm programs need to find the cluster. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs a Slurm program and returns its output. */
  readonly run: (program: string, words: readonly string[]) => string;
  /** Sends SIGKILL to all daemons of a name and starts others. */
  crash(program: 'slurmctld' | 'slurmd', downMs: number): Promise<void>;
  stop(): void;
}

/** Starts a cluster for a test file if Slurm is installed. */
export function useCluster(): () => Cluster {
  let cluster: Cluster | undefined;
  beforeAll(async () => {
    if (!isSkipped('slurm')) cluster = await startCluster();
  });
  afterAll(() => cluster?.stop());
  return () => {
    if (cluster === undefined) throw new Error('the cluster is not there yet');
    return cluster;
  };
}

/** Starts two nodes and a controller with keys, on loopback only. */
async function startCluster(): Promise<Cluster> {
  const room = mkdtempSync(join(tmpdir(), 'nacre-slurm-'));
  for (const name of ['munge', 'controller', ...NODES]) mkdirSync(join(room, name), { mode: 0o700 });
  const munge = (name: string): string => join(room, 'munge', name);
  writeFileSync(munge('key'), randomBytes(1024), { mode: 0o600 });
  const file = join(room, 'slurm.conf');
  writeFileSync(file, await renderConfiguration(room));
  // With cgroups, because otherwise a process that left its session survives the end of its job.
  writeFileSync(join(room, 'cgroup.conf'), 'CgroupPlugin=cgroup/v1\nCgroupMountpoint=/sys/fs/cgroup\n');
  const env = { ...process.env, SLURM_CONF: file };
  const daemons = [
    [
      ...['munged', '--foreground', '--force', '--num-threads=2', `--key-file=${munge('key')}`],
      ...['socket', 'pid-file', 'log-file', 'seed-file'].map((name) => `--${name}=${munge(name)}`),
    ],
    ['slurmctld', '-D', '-c'],
    ...NODES.map((node) => ['slurmd', '-D', '-N', node]),
  ];
  const launch = ([program = '', ...words]: readonly string[]): ChildProcess =>
    spawn(program, words, { env, stdio: 'ignore' });
  const children = daemons.map(launch);
  const run: Cluster['run'] = (program, words) =>
    execFileSync(program, words, {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 20_000,
    });
  await vi.waitFor(() => expect(run('sinfo', ['-h', '-t', 'idle', '-o', '%D']).trim()).toBe('2'), {
    timeout: 60_000,
    interval: 200,
  });
  return {
    env,
    run,
    crash: async (program, downMs) => {
      const places = daemons.flatMap(([name], i) => (name === program ? [i] : []));
      for (const i of places) {
        const child = children[i];
        const gone = new Promise((resolve) => child?.once('exit', resolve));
        child?.kill('SIGKILL');
        await gone;
      }
      await pause(downMs);
      // `-c` would discard the saved state.
      for (const i of places) children[i] = launch((daemons[i] ?? []).filter((word) => word !== '-c'));
      // The cluster is back when it accepts a job.
      await vi.waitFor(() => run('srun', ['--overlap', '--immediate=10', 'true']), {
        timeout: 180_000,
        interval: 500,
      });
    },
    stop: () => {
      // SIGKILL: a slurmd that gets SIGTERM waits for steps that never end.
      for (const child of children.reverse()) child.kill('SIGKILL');
      void Promise.all(children.map((child) => new Promise((resolve) => child.on('exit', resolve)))).then(
        () => removeDirectory(room),
      );
    },
  };
}

async function renderConfiguration(room: string): Promise<string> {
  const host = hostname().split('.')[0];
  const ports = await Promise.all([...NODES, 'controller'].map(() => freePort()));
  const nodes = NODES.map(
    (name, i) =>
      `NodeName=${name} NodeAddr=127.0.0.1 NodeHostname=${host} Port=${ports[i]} CPUs=16 RealMemory=1000 State=UNKNOWN`,
  );
  return [
    ...['ClusterName=nacre', `SlurmctldHost=${host}(127.0.0.1)`, `SlurmctldPort=${ports[NODES.length]}`],
    ...['AuthType=auth/munge', `AuthInfo=socket=${room}/munge/socket`, 'SlurmUser=root', 'SlurmdUser=root'],
    'CommunicationParameters=NoCtldInAddrAny,NoInAddrAny',
    ...[`SlurmctldPidFile=${room}/controller.pid`, `SlurmctldLogFile=${room}/controller.log`],
    ...[`StateSaveLocation=${room}/controller`, `SlurmdSpoolDir=${room}/%n`],
    ...[`SlurmdPidFile=${room}/%n.pid`, `SlurmdLogFile=${room}/%n.log`],
    ...['ProctrackType=proctrack/cgroup', 'TaskPlugin=task/none', 'JobAcctGatherType=jobacct_gather/none'],
    ...['SelectType=select/cons_tres', 'SelectTypeParameters=CR_CPU', 'SchedulerType=sched/backfill'],
    'SchedulerParameters=sched_min_interval=2000,bf_interval=1',
    ...['SlurmdParameters=config_overrides', 'ReturnToService=2', 'KillWait=2', 'MpiDefault=none'],
    ...nodes,
    'PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES',
    '',
  ].join('\n');
}

export const openSlurm =
  (cluster: () => Cluster): Open =>
  async ({ state }) => {
    const client = createSlurmConnector({ shell: 'bash', env: cluster().env, options: [] });
    return {
      host: createRemoteHost({
        name: 'slurm',
        connector: client,
        shell: 'bash',
        stateDirectory: state,
        onExit: 'end',
      }),
      stop: () => undefined,
    };
  };
