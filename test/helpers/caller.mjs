/** A caller to be killed: starts one command, says where its run is, and then lives or exits as told. */
import { existsSync, readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createLocalHost } from '../../dist/engine/hosts/local-host.js';

const { values } = parseArgs({
  options: {
    state: { type: 'string', default: '' },
    command: { type: 'string', default: 'true' },
    watcher: { type: 'string', default: 'reader' },
    timeout: { type: 'string' },
    exit: { type: 'boolean', default: false },
  },
});

const readyShells = Number(process.env.NACRE_TEST_READY ?? 0);
const host = createLocalHost({ stateDirectory: values.state, onExit: 'end', readyShells });
const ground = {
  shell: '/bin/bash',
  cwd: '/tmp',
  env: { ...process.env },
  streams: 'merged',
  baseEnvironment: null,
};
host.prepare(() => ground);
for (let look = 0; readyShells > 0 && look < 400 && !isReady(); look++) await pause(5);
if (readyShells > 0) await pause(8);
const run = await host.start({
  command: values.command,
  shell: '/bin/bash',
  cwd: '/tmp',
  env: ground.env,
  input: { kind: 'empty' },
  streams: 'merged',
  timeoutMs: values.timeout === undefined ? null : Number(values.timeout),
  graceMs: 200,
  jobTimeoutMs: 86_400_000,
  watcher: values.watcher === 'nobody' ? 'nobody' : 'reader',
  keep: { maxBytes: 1024 ** 3, onFull: 'drop_middle', minFreeBytes: 0 },
  pipeStatus: false,
  terminal: null,
  baseEnvironment: null,
  preamble: '',
  atExit: '',
  asked: {},
});
process.stdout.write(`${run.id}\n`);
if (values.exit) process.exit(0);
setInterval(() => undefined, 1000);

function isReady() {
  const ready = `${values.state}/ready`;
  return existsSync(ready) && readdirSync(ready).some((id) => existsSync(`${ready}/${id}/who`));
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
