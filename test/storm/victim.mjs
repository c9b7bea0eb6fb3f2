/** A program to be killed at any moment: it starts jobs of every kind, and says what it asked for and what it was told. */
import { parseArgs } from 'node:util';
import { createBash } from '../../dist/index.js';

const { values } = parseArgs({
  options: {
    state: { type: 'string' },
    session: { type: 'string' },
    ledger: { type: 'string' },
    seed: { type: 'string' },
  },
});
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const random = createRandom(Number(values.seed));

const bash = createBash({
  settings: false,
  stateDirectory: values.state,
  session: values.session,
  graceMs: 100,
  env: { LEDGER: values.ledger },
  onJobEnd: async ({ job }) => {
    // Somebody slow to listen: the kill may come before it is acknowledged.
    await new Promise((resolve) => setTimeout(resolve, random() * 60));
    say({ told: job.id, state: job.state, exitCode: job.exitCode });
  },
});

/** It writes down when it began and when it was done: who runs twice is seen. */
function commandOf(token, { seconds, code }) {
  return `echo "begin ${token}" >>"$LEDGER"; echo out ${token}; sleep ${seconds}; echo "done ${token}" >>"$LEDGER"; echo end ${token}; exit ${code}`;
}

async function startOne(number) {
  const token = `${values.session}-${number}`;
  const code = number % 3;
  const command = commandOf(token, { seconds: (random() * 0.3).toFixed(2), code });
  say({ asked: token, code });
  const kinds = [{ async: true }, { wait: 0 }, { wait: 0.05 }, {}];
  const { run } = await bash.call({ command, ...kinds[number % kinds.length] });
  say({ answered: token, id: run.runId, status: run.status, exitCode: run.exitCode });
}

// The first call loads most of the program, which takes longer than most lives here last.
await bash.call({ command: 'true' });
await bash.call({ command: 'true', async: true });
say({ ready: true });
for (let number = 0; ; number += 4) await Promise.all([0, 1, 2, 3].map((more) => startOne(number + more)));

/** The same numbers for the same seed. */
function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
