import { expect } from 'vitest';
import { isAlive } from '../helpers/is-alive.ts';
import { proves } from './doors.ts';

proves('JOB-3', 'a job is read while it runs, and ended with everybody it started', async (open) => {
  const door = open();
  const command = "trap '' TERM; setsid sleep 1000 & echo working on $!; wait";
  const { run, isError } = await door.call({ command, async: true });
  expect([run.status, isError]).toEqual(['running', false]);
  const id = String(run.job?.id);
  await expect.poll(() => door.job('peek', id), { timeout: 20_000 }).toMatch(/working on \d+/);
  const child = Number(/working on (\d+)/.exec(await door.job('peek', id))?.[1]);
  expect([isAlive(Number(run.job?.pid)), isAlive(child)]).toEqual([true, true]);
  await door.job('kill', id);
  await expect
    .poll(() => [isAlive(Number(run.job?.pid)), isAlive(child)], { timeout: 20_000 })
    .toEqual([false, false]);
  expect(await door.job('peek', id)).toContain('working on');
});

proves('JOB-3', 'a job that is not there is not found', async (open) => {
  const door = open();
  await door.call({ command: 'true' });
  expect(await door.job('peek', 'nobody')).toContain('There is no job nobody in this session.');
});

proves('URL-1', 'the full output of a call is a path in the next one', async (open) => {
  const door = open();
  const { run } = await door.call({ command: 'seq 100000' });
  const next = await door.call({ command: `wc -l <${run.artifact}; echo "see ${run.artifact} there"` });
  expect(next.run.output.text).toBe(`100000\nsee ${run.artifact} there\n`);
});
