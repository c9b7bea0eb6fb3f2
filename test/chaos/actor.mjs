/**
 * One program that uses nacre. It reads operations as JSON lines from stdin and writes what it saw as JSON lines to
 * stdout. The chaos driver starts several of them, kills some, and compares their reports with the machine.
 */
import { createInterface } from 'node:readline';

const [dist, options] = [process.argv[2], JSON.parse(process.argv[3] ?? '{}')];
const { createBash, ToolAbortError } = await import(`${dist}/index.js`);

const report = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
const aborts = new Map();
let bash = open();

function open() {
  return createBash({
    ...options,
    onJobEnd: ({ job }) =>
      report({ event: 'job_end', job: job.id, state: job.state, exitCode: job.exitCode }),
  });
}

function summary({ run, error }) {
  const { runId, status, exitCode, output, job, notes, stateReset, survivors } = run;
  const text = output.text.slice(0, 2_000);
  return {
    runId,
    status,
    exitCode,
    text,
    bytes: output.totalBytes,
    job,
    notes,
    stateReset,
    survivors,
    error,
  };
}

const OPERATIONS = {
  call({ id, input }) {
    const controller = new AbortController();
    aborts.set(id, controller);
    bash.call(input, { signal: controller.signal }).then(
      (result) => report({ event: 'result', id, ...summary(result) }),
      (error) => {
        if (error instanceof ToolAbortError)
          report({ event: 'result', id, ...summary(error.result), rejected: true });
        else report({ event: 'rejected', id, message: String(error?.message ?? error) });
      },
    );
  },
  abort({ id }) {
    aborts.get(id)?.abort();
  },
  async reopen({ id }) {
    const closing = bash;
    bash = open();
    await closing.close();
    report({ event: 'closed', id });
  },
  list({ id }) {
    const jobs = bash.jobs.list().map(({ id: job, state, status }) => ({ id: job, state, status }));
    report({ event: 'jobs', id, jobs });
  },
  async kill({ id, job }) {
    try {
      const { survivors } = await bash.jobs.kill(job, { escalate: true });
      report({ event: 'killed', id, job, survivors });
    } catch (error) {
      report({ event: 'killed', id, job, error: error.code ?? String(error) });
    }
  },
};

process.on('unhandledRejection', (error) =>
  report({ event: 'crash', message: String(error?.stack ?? error) }),
);
createInterface({ input: process.stdin }).on('line', (line) => {
  const operation = JSON.parse(line);
  Promise.resolve(OPERATIONS[operation.op](operation)).catch((error) =>
    report({ event: 'crash', id: operation.id, message: String(error?.stack ?? error) }),
  );
});
report({ event: 'ready', pid: process.pid });
