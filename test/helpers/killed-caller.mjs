/**
 * A program that is killed at a certain moment of a call that a shell which waited serves: `<state> <timeout> <moment> <command>`.
 *
 * Each moment is found by what is written then, so nothing depends on time.
 */
import fs, { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { createBash } from '../../dist/index.js';

const [state, timeout, moment, command] = process.argv.slice(2);
const inheritedEnv = { PATH: process.env.PATH, NACRE_TEST_MARKER: process.env.NACRE_TEST_MARKER };
const bash = createBash({ stateDirectory: state, readyShells: 1, shellState: false, inheritedEnv });
const ready = join(state, 'ready');
const waits = () => existsSync(ready) && readdirSync(ready).some((id) => existsSync(join(ready, id, 'who')));
while (!waits()) await new Promise((resolve) => setTimeout(resolve, 3));
await new Promise((resolve) => setTimeout(resolve, 100));

const die = () => process.kill(process.pid, 'SIGKILL');
const { writeSync, renameSync } = fs;
const WRITTEN = {
  // Its limits, its record, its text: each is about to be written.
  limits: /^nacre_/m,
  record: /^\{/,
  text: /^exec 3<&-$/m,
  // It is over, and the supervisor is about to hear goodbye.
  goodbye: /^bye\b/,
};
fs.writeSync = (fd, data, ...rest) => {
  if (WRITTEN[moment]?.test(String(data))) die();
  return writeSync(fd, data, ...rest);
};
fs.renameSync = (from, to) => {
  if (moment === 'sent') die();
  // With everybody who could move it in its place.
  if (moment === 'all') {
    for (const pid of inside(from)) process.kill(pid, 'SIGKILL');
    die();
  }
  renameSync(from, to);
  if (moment === 'moved') die();
};
syncBuiltinESMExports();
await bash.call(
  { command, timeout: Number(timeout) },
  { onBytes: () => void (moment === 'running' && die()) },
);
// No shell was ready for it.
process.exit(9);

function inside(directory) {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && cwdOf(pid) === directory);
}

function cwdOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}
