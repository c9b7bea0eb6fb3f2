import { expect, test } from 'vitest';
import { jobOf, useRealBash } from '../../helpers/real-bash.ts';

const { open } = useRealBash();
const job = { command: 'sleep 1000', async: true };

test('a job beyond the limit is refused with the list of live jobs until one of them ends', async () => {
  const bash = open({ session: 'limit', async: { maxJobs: 2 } });
  const ids = [jobOf(await bash.call(job)), jobOf(await bash.call(job))];
  const refused = await bash.call(job);
  expect(refused).toMatchObject({ isError: true, error: { id: 'job_limit' }, run: { status: 'refused' } });
  expect(refused.error?.message).toMatch(/^2 jobs are running and the limit is 2: /);
  for (const id of ids) expect(refused.error?.message).toContain(`${id} (sleep 1000)`);
  await bash.jobs.kill(ids[0] ?? '', { signal: 'SIGKILL' });
  expect((await bash.call(job)).run.status).toBe('running');
});

test('calls at the same moment do not pass the limit together', async () => {
  const bash = open({ session: 'at once', async: { maxJobs: 3 } });
  const results = await Promise.all(Array.from({ length: 8 }, () => bash.call(job)));
  const started = results.filter(({ error }) => error === undefined);
  expect(started).toHaveLength(3);
  expect(results.filter(({ error }) => error?.id === 'job_limit')).toHaveLength(5);
});

test('jobs that another instance of the session started count, those of other sessions do not', async () => {
  const [first, second] = [1, 2].map(() => open({ session: 'shared', async: { maxJobs: 2 } }));
  const stranger = open({ session: 'not shared', async: { maxJobs: 2 } });
  await second?.call({ command: 'true', async: true, timeout: 5 });
  await first?.call(job);
  await first?.call(job);
  await stranger.call(job);
  await expect.poll(async () => (await second?.call({ ...job }))?.error?.id).toBe('job_limit');
  expect((await stranger.call(job)).run.status).toBe('running');
});

test.each([
  ['wait', 3_600.5],
  ['wait', -1],
  ['wait', '5'],
])('%s of %j is refused by name, before anything runs', async (field, value) => {
  const bash = open();
  const result = await bash.call({ command: 'echo ran', [field]: value });
  expect(result.error).toMatchObject({
    id: 'bad_input',
    message: expect.stringMatching(new RegExp(`^${field}: `)),
  });
});

test.each([0, 3_600])('a wait of %d seconds is taken', async (wait) => {
  const bash = open({ session: `wait ${wait}` });
  const result = await bash.call({ command: 'exit 3', wait, timeout: 3_600 });
  expect(['exited', 'running']).toContain(result.run.status);
  expect(result.error).toBeUndefined();
});
