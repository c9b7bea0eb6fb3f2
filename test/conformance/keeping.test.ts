import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isAlive } from '../helpers/is-alive.ts';
import { proves } from './doors.ts';

proves('OUT-4', 'the full output is read by lines, whatever was shown', async (open) => {
  const door = open();
  const { run } = await door.call({ command: 'seq 100000', tail: 1 });
  expect(run.output.text).not.toContain('54321\n');
  expect(await door.lines(String(run.artifact), { from: 54_320, to: 54_322 })).toBe('54320\n54321\n54322\n');
});

proves('RUN-8', 'head applies before tail, and the status stays', async (open) => {
  const { run } = await open().call({ command: 'seq 1000; exit 3', head: 10, tail: 2 });
  expect(run.output.text).toMatch(/^9\n10\n/m);
  expect(run.output.text).not.toMatch(/^(8|11|1000)$/m);
  expect(run.exitCode).toBe(3);
});

proves('JOB-4', 'a job goes on when whoever started it is gone, and its end is recorded', async (open) => {
  const door = open();
  const command = 'echo begun; until [ -e go ]; do sleep 0.05; done; echo ended; exit 5';
  const { run } = await door.call({ command, async: true });
  await door.leave();
  expect(isAlive(Number(run.job?.pid))).toBe(true);
  mkdirSync(join(door.place, 'go'));
  const directory = join(door.stateDirectory, 'runs', String(run.runId));
  const ending = (): string => readFileSync(join(directory, 'ending'), 'utf8');
  await expect.poll(ending, { timeout: 20_000 }).toMatch(/^exited 5 /);
  expect(readFileSync(join(directory, 'out'), 'utf8')).toBe('begun\nended\n');
});
