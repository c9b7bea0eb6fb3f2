/** A program that uses the tool: makes one call, prints its machine form, and ends as told. */
import { parseArgs } from 'node:util';
import { createBash } from '../../dist/index.js';

const { values } = parseArgs({
  options: {
    options: { type: 'string', default: '{}' },
    input: { type: 'string', default: '{}' },
    end: { type: 'string', default: 'close' },
  },
});

const bash = createBash(JSON.parse(values.options));
const { run } = await bash.call(JSON.parse(values.input));
process.stdout.write(`${JSON.stringify(run)}\n`);
if (values.end === 'close') await bash.close();
if (values.end === 'exit') process.exit(0);
// `stay`: until somebody kills it.
if (values.end === 'stay') setInterval(() => undefined, 1_000);
// `nothing`: the program is over, and nothing of ours may keep it alive.
