import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isAlive } from '../helpers/is-alive.ts';
import { proves, provesToModels } from './doors.ts';

proves('JOB-3', 'a job is read while it runs, and ended with everybody it started', async (open) => {
  const door = open();
  const command = "trap '' TERM; setsid sleep 1000 & echo working on $!; wait";
  const { run, isError } = await door.call({ command, async: true });
  expect([run.status, isError]).toEqual(['running', false]);
  const id = String(run.job?.id);
  await expect.poll(() => door.job({ action: 'peek', id }), { timeout: 20_000 }).toMatch(/working on \d+/);
  const child = Number(/working on (\d+)/.exec(await door.job({ action: 'peek', id }))?.[1]);
  expect([isAlive(Number(run.job?.pid)), isAlive(child)]).toEqual([true, true]);
  await door.job({ action: 'kill', id });
  await expect
    .poll(() => [isAlive(Number(run.job?.pid)), isAlive(child)], { timeout: 20_000 })
    .toEqual([false, false]);
  expect(await door.job({ action: 'peek', id })).toContain('working on');
});

proves('JOB-3', 'a job that is not there is not found', async (open) => {
  const door = open();
  await door.call({ command: 'true' });
  expect(await door.job({ action: 'peek', id: 'nobody' })).toContain(
    'There is no job nobody in this session.',
  );
});

proves('URL-1', 'the full output of a call is a path in the next one', async (open) => {
  const door = open();
  const { run } = await door.call({ command: 'seq 100000' });
  const next = await door.call({ command: `wc -l <${run.artifact}; echo "see ${run.artifact} there"` });
  expect(next.run.output.text).toBe(`100000\nsee ${run.artifact} there\n`);
});

proves('JOB-3', 'a job with open input takes a line, and says when it waits for one', async (open) => {
  const door = open();
  const { run } = await door.call({
    command: 'printf "name? "; read name; echo "hello $name"',
    async: true,
    stdin: { open: true },
  });
  const id = String(run.job?.id);
  await expect
    .poll(() => door.job({ action: 'peek', id }), { timeout: 20_000 })
    .toMatch(/waiting for input[\s\S]*name\? /i);
  await door.job({ action: 'send', id, text: 'you' });
  expect(await door.job({ action: 'wait', id })).toContain('completed');
  expect(await door.job({ action: 'peek', id })).toContain('name? hello you');
});

proves('JOB-5', 'one job too many is refused, with those that live', async (open) => {
  const door = open({ inherited: { NACRE_ASYNC_MAX_JOBS: '1' }, session: 'one' });
  const { run } = await door.call({ command: 'sleep 1000', async: true });
  const second = await door.call({ command: 'touch ran', async: true });
  expect(second.error).toMatchObject({
    id: 'job_limit',
    message: expect.stringContaining(String(run.runId)),
  });
  expect(existsSync(join(door.place, 'ran'))).toBe(false);
  await door.job({ action: 'kill', id: String(run.runId) });
});

proves('JOB-7', 'a service is there when it says that it is ready', async (open) => {
  const door = open();
  const { run, isError } = await door.call({
    command: 'echo warming up; read -t 0.3 <> <(:); echo listening now; exec sleep 1000',
    service: { name: 'web', ready: { log: 'listening' } },
  });
  expect([isError, run.status, run.job?.state]).toEqual([false, 'running', 'running']);
  const id = String(run.runId);
  expect(await door.job({ action: 'peek', id })).toContain('listening now');
  await door.job({ action: 'kill', id });
});

provesToModels('PTY-1', 'a job may have a terminal, which is read as a screen', async (open) => {
  const door = open();
  const { run } = await door.call({
    command:
      '[ -t 0 ] && [ -t 1 ] && printf "\\033[2J\\033[Hon a terminal: $TERM\\n"; read line; echo "got $line"',
    pty: true,
    async: true,
  });
  const id = String(run.job?.id);
  await expect
    .poll(() => door.job({ action: 'peek', id }), { timeout: 20_000 })
    .toContain('on a terminal: xterm-256color');
  await door.job({ action: 'send', id, text: 'it' });
  expect(await door.job({ action: 'wait', id })).toMatch(/completed[\s\S]*got it/);
});
