/**
 * What each host costs beside its own raw client, in interleaved runs: `true`, from start to end.
 *
 * Run it on a quiet machine, as root: `npm run bench:hosts` writes docs/benchmarks-hosts.md; `node bench/hosts.mjs 20` prints the
 * same of 20 rounds. Hosts whose programs are not there are left out, and named.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, homedir, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createLocalHost } from '../dist/engine/hosts/local-host.js';
import {
  createContainerConnector,
  createSlurmConnector,
  createSshConnector,
} from '../dist/engine/hosts/remote/remote-connectors.js';
import { createRemoteHost } from '../dist/engine/hosts/remote/remote-host.js';
import { createSandboxHost } from '../dist/engine/hosts/sandbox/sandbox-host.js';
import { DEFAULT_SANDBOX_LIMITS } from '../dist/engine/hosts/sandbox/sandbox-spec.js';
import { startCluster } from './lib/cluster.mjs';
import { startContainer, startSshd } from './lib/far-ends.mjs';

const words = process.argv.slice(2);
const ROUNDS = Number(words.find((word) => /^\d+$/.test(word)) ?? 60);
const leftOut = [];
const state = mkdtempSync(join(tmpdir(), 'nacre-bench-'));
const workspace = mkdtempSync(join(tmpdir(), 'nacre-work-'));
const env = { PATH: process.env.PATH, HOME: homedir() };

const request = {
  ...{
    command: 'true',
    shell: '/bin/bash',
    cwd: workspace,
    env,
    input: { kind: 'empty' },
    streams: 'merged',
  },
  ...{ terminal: null, timeoutMs: null, graceMs: 2000, jobTimeoutMs: 60_000, watcher: 'reader' },
  keep: { maxBytes: 2 ** 20, onFull: 'drop_middle', minFreeBytes: 0 },
  ...{ pipeStatus: false, baseEnvironment: null, preamble: '', atExit: '', asked: {} },
};
const through =
  (host, more = {}) =>
  async () => {
    const run = await host.start({ ...request, ...more });
    await run.ended;
  };
const raw =
  (program, words, env = process.env) =>
  () =>
    new Promise((resolve) => spawn(program, words, { env, stdio: 'ignore' }).on('close', resolve));

const local = createLocalHost({ stateDirectory: state, onExit: 'end' });
const rows = [
  ['bash -c true', raw('/bin/bash', ['-c', 'true'])],
  ['local', through(local)],
];
const hosts = [local];
if (existsSync('/usr/bin/bwrap')) {
  const spec = {
    ...{ workspace, isWorkspaceWritable: true, writable: [], readable: [], hidden: [], network: 'off' },
    ...{ unixSockets: false, limits: DEFAULT_SANDBOX_LIMITS, home: homedir(), stateDirectory: state },
  };
  const sandbox = createSandboxHost({ spec, bwrap: '/usr/bin/bwrap', onExit: 'end' });
  hosts.push(sandbox);
  const words = '--ro-bind / / --dev /dev --proc /proc --unshare-all --die-with-parent -- bash -c true'.split(
    ' ',
  );
  rows.push(['bwrap … bash -c true', raw('/usr/bin/bwrap', words)], ['sandbox', through(sandbox)]);
} else leftOut.push('sandbox (no bwrap)');

const far = mkdtempSync(join(tmpdir(), 'nacre-far-'));
const ends = [];
const addFar = (name, { client, end, rawRow }) => {
  ends.push(end);
  const host = createRemoteHost({ name, client, shell: 'bash', stateDirectory: state, onExit: 'end' });
  hosts.push(host);
  rows.push(rawRow, [name, through(host, { cwd: '/tmp' })]);
};
if (existsSync('/usr/sbin/sshd') && process.getuid() === 0) {
  const end = await startSshd(join(far, 'ssh'));
  const client = createSshConnector(end.client);
  addFar('ssh', { client, end, rawRow: ['ssh host true', raw('/usr/bin/ssh', [...end.words, 'true'])] });
} else leftOut.push('ssh (no sshd, or not root)');
for (const program of ['docker', 'podman']) {
  const needed = program === 'docker' ? '/usr/sbin/dockerd' : '/usr/bin/podman';
  if (!existsSync(needed) || process.getuid() !== 0) {
    leftOut.push(`${program} (not installed, or not root)`);
    continue;
  }
  const end = await startContainer(program, join(far, program));
  const options = { program, shell: 'bash', env: end.env, container: 'nacre', user: null };
  const client = createContainerConnector({ ...options, options: end.words });
  const words = [...end.words, 'exec', 'nacre', 'bash', '-c', 'true'];
  addFar(program, { client, end, rawRow: [`${program} exec true`, raw(program, words, end.env)] });
}
if (existsSync('/usr/sbin/slurmctld') && process.getuid() === 0) {
  const end = await startCluster(join(far, 'slurm'));
  const client = createSlurmConnector({ shell: 'bash', env: end.env, options: [] });
  const words = ['--ntasks=1', '--quiet', 'bash', '-c', 'true'];
  addFar('slurm', { client, end, rawRow: ['srun true', raw('srun', words, end.env)] });
} else leftOut.push('slurm (not installed, or not root)');

const times = new Map(rows.map(([name]) => [name, []]));
for (const [, once] of rows) await once();
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, once] of rows) {
    const before = performance.now();
    await once();
    times.get(name).push(performance.now() - before);
  }
}
const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
const medians = new Map([...times].map(([name, list]) => [name, median(list)]));
const base = medians.get('local');
/** Beside whom each host stands: its own raw client, and for the sandbox a plain local run. */
const BESIDE = {
  local: 'bash -c true',
  sandbox: 'local',
  ssh: 'ssh host true',
  docker: 'docker exec true',
  podman: 'podman exec true',
  slurm: 'srun true',
};
const version = execFileSync('bash', ['-c', 'echo "$BASH_VERSION"'], { encoding: 'utf8' }).trim();
const lines = [...medians].map(([name, ms]) => {
  const beside = BESIDE[name];
  const ratio = beside === undefined ? '' : `${(ms / medians.get(beside)).toFixed(2)} × \`${beside}\``;
  const shown = beside === undefined ? `\`${name}\`` : `**${name}**`;
  return `| ${shown} | ${ms.toFixed(2)} ms | ${(ms / base).toFixed(2)} × | ${ratio} |`;
});
const page = [
  '# Benchmarks: hosts',
  '',
  `Made by \`npm run bench:hosts\` on ${availableParallelism()} cores, Linux ${release()}, Node ${process.version}, bash ${version}. Only ratios within a table mean anything elsewhere.`,
  '',
  `\`true\` from start to end, median of ${ROUNDS} interleaved rounds: each host beside what its own client takes for the same. Far ends are on this machine: there is no network between. Docker, podman and the sandbox are measured with`,
  'what they run in already there; the sandbox stands beside a plain local run, as it is built once for a session.',
  '',
  '| | median | beside `local` | beside its own client |',
  '|---|---|---|---|',
  ...lines,
  '',
  ...(leftOut.length === 0 ? [] : [`Left out: ${leftOut.join(', ')}.`, '']),
].join('\n');
process.stdout.write(page);
if (words.includes('--write')) writeFileSync('docs/benchmarks-hosts.md', page);
for (const host of hosts) await host.close();
for (const end of ends) end.stop();
await pause(1_000);
for (const path of [state, workspace, far])
  rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
