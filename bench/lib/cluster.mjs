/** A cluster of Slurm for the benchmark of hosts: one node, its controller and its keys, on loopback alone. */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { freePort, until } from './far-ends.mjs';

export async function startCluster(room) {
  for (const name of ['munge', 'controller', 'node'])
    mkdirSync(join(room, name), { recursive: true, mode: 0o700 });
  const munge = (name) => join(room, 'munge', name);
  writeFileSync(munge('key'), randomBytes(1024), { mode: 0o600 });
  writeFileSync(join(room, 'slurm.conf'), render(room, [await freePort(), await freePort()]));
  writeFileSync(join(room, 'cgroup.conf'), 'CgroupPlugin=cgroup/v1\nCgroupMountpoint=/sys/fs/cgroup\n');
  const env = { ...process.env, SLURM_CONF: join(room, 'slurm.conf') };
  const files = ['socket', 'pid-file', 'log-file', 'seed-file'].map((name) => `--${name}=${munge(name)}`);
  const daemons = [
    ['munged', '--foreground', '--force', `--key-file=${munge('key')}`, ...files],
    ['slurmctld', '-D', '-c'],
    ['slurmd', '-D', '-N', 'n1'],
  ].map(([program, ...words]) => spawn(program, words, { env, stdio: 'ignore' }));
  await until(() => {
    const words = ['-h', '-t', 'idle', '-o', '%D'];
    const idle = execFileSync('sinfo', words, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    if (idle.trim() !== '1') throw new Error('the node is not there yet');
  });
  return {
    env,
    stop: () => {
      for (const daemon of daemons.reverse()) daemon.kill('SIGKILL');
    },
  };
}

function render(room, [controllerPort, nodePort]) {
  const host = hostname().split('.')[0];
  return [
    ...['ClusterName=nacre', `SlurmctldHost=${host}(127.0.0.1)`, `SlurmctldPort=${controllerPort}`],
    ...['AuthType=auth/munge', `AuthInfo=socket=${room}/munge/socket`, 'SlurmUser=root', 'SlurmdUser=root'],
    'CommunicationParameters=NoCtldInAddrAny,NoInAddrAny',
    ...[`SlurmctldPidFile=${room}/controller.pid`, `SlurmctldLogFile=${room}/controller.log`],
    ...[`StateSaveLocation=${room}/controller`, `SlurmdSpoolDir=${room}/node`],
    ...[`SlurmdPidFile=${room}/node.pid`, `SlurmdLogFile=${room}/node.log`],
    ...['ProctrackType=proctrack/cgroup', 'TaskPlugin=task/none', 'JobAcctGatherType=jobacct_gather/none'],
    ...['SelectType=select/cons_tres', 'SelectTypeParameters=CR_CPU', 'SchedulerType=sched/backfill'],
    'SchedulerParameters=sched_min_interval=2000,bf_interval=1',
    ...['SlurmdParameters=config_overrides', 'ReturnToService=2', 'KillWait=2', 'MpiDefault=none'],
    `NodeName=n1 NodeAddr=127.0.0.1 NodeHostname=${host} Port=${nodePort} CPUs=16 RealMemory=1000 State=UNKNOWN`,
    'PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES',
    '',
  ].join('\n');
}
