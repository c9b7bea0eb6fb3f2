import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RunStore } from '../../../src/engine/run/run-store.ts';
import { isJob, toJobInfo } from '../../../src/tool/jobs/job-info.ts';
import { RunIndex } from '../../../src/tool/jobs/run-index.ts';
import { jobOf, useRealBash } from '../../helpers/real-bash.ts';

const { open, stateDirectory } = useRealBash();
const store = new RunStore(stateDirectory);

const rows = (): number => readFileSync(join(stateDirectory, 'runs-2.index'), 'utf8').split('\n').length - 1;
const truth = () => store.list().map((run) => ({ info: toJobInfo(run), isJob: isJob(run) }));

test('ended runs are listed from the index rows of their supervisors, without reading their directories', async () => {
  const bash = open({ session: 'a "session", \\ with\u0007 signs' });
  // The list is there from the first look on; what ended before is looked at once.
  bash.jobs.list();
  await bash.call({ command: 'echo "two words" \\\\; exit 3' });
  await bash.call({ command: 'sleep 1000', timeout: 1 });
  await bash.call({ command: 'sleep 0.2 & echo left' });
  await bash.call({ command: 'kill -9 $$' });
  await bash.call({ command: `: ${'x'.repeat(500)}\necho two lines` });
  jobOf(await bash.call({ command: 'exit 5', async: true }));
  const open1 = jobOf(await bash.call({ command: 'cat', async: true, stdin: { open: true } }));
  await bash.job({ action: 'send', id: open1, end: true });
  const web = jobOf(await bash.call({ command: 'exit 4', service: { name: 'web', restart: 'on-failure' } }));
  await expect.poll(() => bash.jobs.find(web).restarts, { timeout: 20_000 }).toBeGreaterThan(0);
  await bash.jobs.kill(web, { escalate: true, graceMs: 100 });
  await expect.poll(rows, { timeout: 20_000 }).toBe(8);
  const before = truth();
  for (const { id } of store.list()) rmSync(join(store.directoryOf(id), 'run.json'));
  expect(new RunIndex(store, stateDirectory).list()).toEqual(before);
});
