/**
 * What each host costs beside its own raw client, in interleaved runs: `true`, from start to end.
 *
 * Run it on a quiet machine: `node bench/hosts.mjs`. Hosts whose programs are not there are left out, and named.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalHost } from '../dist/engine/hosts/local.js';
import { createSandboxHost } from '../dist/engine/hosts/sandbox/sandbox-host.js';
import { DEFAULT_LIMITS } from '../dist/engine/hosts/sandbox/sandbox-spec.js';

const ROUNDS = Number(process.argv[2] ?? 60);
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
  ...{ pipeStatus: false, ground: null, preamble: '', atExit: '', asked: {} },
};
const through = (host) => async () => {
  const run = await host.start(request);
  await run.ended;
};
const raw = (program, words) => () =>
  new Promise((resolve) => spawn(program, words, { stdio: 'ignore' }).on('close', resolve));

const local = createLocalHost({ stateDirectory: state, onExit: 'end' });
const rows = [
  ['bash -c true', raw('/bin/bash', ['-c', 'true'])],
  ['local', through(local)],
];
const hosts = [local];
if (existsSync('/usr/bin/bwrap')) {
  const spec = {
    ...{ workspace, isWorkspaceWritable: true, writable: [], readable: [], hidden: [], network: 'off' },
    ...{ unixSockets: false, limits: DEFAULT_LIMITS, home: homedir(), stateDirectory: state },
  };
  const sandbox = createSandboxHost({ spec, bwrap: '/usr/bin/bwrap', onExit: 'end' });
  hosts.push(sandbox);
  const words = '--ro-bind / / --dev /dev --proc /proc --unshare-all --die-with-parent -- bash -c true'.split(
    ' ',
  );
  rows.push(['bwrap … bash -c true', raw('/usr/bin/bwrap', words)], ['sandbox', through(sandbox)]);
} else console.log('left out: sandbox (no bwrap)');

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
const base = median(times.get('local'));
console.log(`median of ${ROUNDS}, ${execFileSync('uname', ['-r'], { encoding: 'utf8' }).trim()}`);
for (const [name, list] of times)
  console.log(
    `${name.padEnd(24)} ${median(list).toFixed(2)} ms  ${(median(list) / base).toFixed(2)} × local`,
  );
for (const host of hosts) await host.close();
for (const path of [state, workspace]) rmSync(path, { recursive: true, force: true });
