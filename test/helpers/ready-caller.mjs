/** A program with shells ready, to be killed: makes as many calls as told, says so, and then only lives. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createBash } from '../../dist/index.js';

const [state, calls] = process.argv.slice(2);
const bash = createBash({ stateDirectory: state, readyShells: 2 });
for (let call = 0; call < Number(calls); call++) {
  await untilReady();
  await bash.call({ command: 'echo $NACRE_RUN_ID' });
}
await untilReady(2);
process.stdout.write('idle\n');
setInterval(() => undefined, 1000);

async function untilReady(count = 1) {
  const ready = join(state, 'ready');
  const found = () =>
    existsSync(ready) ? readdirSync(ready).filter((id) => existsSync(join(ready, id, 'who'))).length : 0;
  while (found() < count) await new Promise((resolve) => setTimeout(resolve, 3));
}
