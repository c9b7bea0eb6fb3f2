// Runs `seq 1 100000` with no descriptor left to read its output by; prints the notes and how much was read.
// Started with a low limit of open files. Argument: a state directory.
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLocalHost } from '../../dist/engine/hosts/local-host.js';

const [stateDirectory = ''] = process.argv.slice(2);
const runs = join(stateDirectory, 'runs');
const host = createLocalHost({ stateDirectory, onExit: 'end' });
let bytes = 0;
const starting = host.start({
  command: 'seq 1 100000',
  shell: '/bin/bash',
  cwd: '/',
  env: { PATH: process.env.PATH },
  input: { kind: 'empty' },
  streams: 'merged',
  timeoutMs: null,
  graceMs: 1000,
  jobTimeoutMs: 60_000,
  watcher: 'reader',
  keep: { maxBytes: 1024 ** 3, onFull: 'drop_middle', minFreeBytes: 0 },
  pipeStatus: false,
  terminal: null,
  baseEnvironment: null,
  preamble: '',
  atExit: '',
  asked: {},
  onBytes: (_, chunk) => {
    bytes += chunk.length;
  },
});
// Microtasks alone: the word that the command has started cannot be read before all descriptors are taken.
while (!existsSync(runs) || readdirSync(runs).length === 0) await null;
const taken = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  // All are taken.
}
const run = await starting;
for (const fd of taken) closeSync(fd);
const { ending, notes } = await run.ended;
console.log(JSON.stringify({ ending, notes, bytes }));
await host.close();
