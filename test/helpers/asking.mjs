/** Makes one call that is asked about, and prints what came of it. */
import { createBash } from '../../dist/index.js';

const [stateDirectory] = process.argv.slice(2);
const bash = createBash({ stateDirectory, policy: { approvals: { otherwise: 'ask' } } });
const { run } = await bash.call({ command: 'echo ran' });
process.stdout.write(run.output.text);
await bash.close();
