/** A program that is killed in the middle of a call: its shell has the command, its directory has not moved yet. */
import fs, { existsSync, readdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { createBash } from '../../dist/index.js';

const [state, timeout, command] = process.argv.slice(2);
const bash = createBash({ stateDirectory: state, readyShells: 1, shellState: false });
const ready = join(state, 'ready');
const waits = () => existsSync(ready) && readdirSync(ready).some((id) => existsSync(join(ready, id, 'who')));
while (!waits()) await new Promise((resolve) => setTimeout(resolve, 3));
await new Promise((resolve) => setTimeout(resolve, 100));
fs.renameSync = () => process.kill(process.pid, 'SIGKILL');
syncBuiltinESMExports();
await bash.call({ command, timeout: Number(timeout) });
// No shell was ready for it.
process.exit(9);
