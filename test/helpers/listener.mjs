/** A program that may start a job, says of which ends it was told, and lives until it is killed. */
import { parseArgs } from 'node:util';
import { createBash } from '../../dist/index.js';

const { values } = parseArgs({
  options: {
    options: { type: 'string', default: '{}' },
    input: { type: 'string' },
    /** Whether what it was told is acknowledged. */
    deaf: { type: 'boolean', default: false },
  },
});

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const never = new Promise(() => undefined);

const bash = createBash({
  ...JSON.parse(values.options),
  onJobEnd: ({ job }) => {
    say({ told: job.id });
    return values.deaf ? never : undefined;
  },
});
if (values.input !== undefined) {
  const { run } = await bash.call(JSON.parse(values.input));
  say({ started: run.runId });
}
say({ ready: true });
setInterval(() => undefined, 1_000);
