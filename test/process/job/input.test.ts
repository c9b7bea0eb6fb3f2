import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { MachineResult } from '../../../src/tool/contract/result.ts';
import { jobOf, textOf, useRealBash } from '../../helpers/real-bash.ts';

const { open, stateDirectory, marker } = useRealBash();
const bash = open();

const ASK = `python3 -u -c 'name = input("name? "); print("hello", name)'`;

test('a call whose command waits for input returns at once, with the question and what to do', async () => {
  const result = await bash.call({ command: ASK, stdin: { open: true } });
  expect(result.run).toMatchObject({
    status: 'running',
    waitingForInput: { lastLine: 'name?', echoOff: false, canSend: true },
  });
  expect(result.run.waitingForInput?.command).toContain('python3');
  expect(textOf(result)).toMatch(/Waiting for input: .*python3.* Its last line: "name\?"\. Answer with/);

  const id = jobOf(result);
  const peeked = await bash.job({ action: 'peek', id });
  expect(peeked.details.jobs[0]?.waitingForInput).toMatchObject({ lastLine: 'name?' });
  expect(textOf(await bash.job({ action: 'list' }))).toContain('(waiting for input; last line: name?)');
  expect((await bash.job({ action: 'wait', id, seconds: 3_600 })).details.why).toBe('input');

  await bash.job({ action: 'send', id, text: 'Ada', keys: ['enter'] });
  expect(textOf(await bash.job({ action: 'wait', id, seconds: 30 }))).toMatch(
    /^completed \(exit code 0\)[\s\S]*hello Ada/,
  );
});

test('the end of the input can be sent, and ctrl-d is the same', async () => {
  for (const sent of [
    { text: 'one\n', end: true },
    { text: 'one\n', keys: ['ctrl-d'] },
  ]) {
    const id = jobOf(await bash.call({ command: 'cat; echo end', stdin: { open: true }, wait: 0 }));
    await bash.job({ action: 'send', id, ...sent });
    // `wait` also returns for a job that is seen waiting for input, as before it has read what was sent.
    await expect.poll(() => bash.jobs.find(id)?.state, { timeout: 30_000 }).toBe('completed');
    expect((await bash.jobs.peek(id)).text).toBe('one\nend\n');
  }
});

test('ctrl-c interrupts a job, with or without an open input', async () => {
  const id = jobOf(
    await bash.call({
      command: 'trap "echo interrupted; exit 9" INT; echo ready; while :; do sleep 0.05; done',
      async: true,
    }),
  );
  await bash.job({ action: 'wait', id, pattern: 'ready', seconds: 30 });
  await bash.job({ action: 'send', id, keys: ['ctrl-c'] });
  await bash.jobs.wait([id]);
  expect(bash.jobs.find(id)).toMatchObject({ state: 'failed', exitCode: 9 });
});

test('input that cannot be sent is an error', async () => {
  const id = jobOf(await bash.call({ command: 'sleep 1000', async: true }));
  expect((await bash.job({ action: 'send', id, text: 'x' })).error?.id).toBe('input_closed');
  const wrong = await bash.job({ action: 'send', id, keys: ['hyper-x'] });
  expect(wrong.error).toMatchObject({ id: 'bad_input' });
  expect(wrong.error?.message).toContain('keys[0]: unknown key "hyper-x"; known keys: tab, enter');
  await bash.job({ action: 'kill', id });
  expect((await bash.job({ action: 'send', id, text: 'x' })).error?.message).toContain('it has ended');
});

test('a job that sleeps or computes is not said to wait for input', async () => {
  const open_ = { stdin: { open: true }, wait: 0.6 };
  const commands = ['sleep 1000', 'while :; do :; done'];
  const results = await Promise.all(commands.map((command) => bash.call({ command, ...open_ })));
  for (const { run } of results) {
    expect(run.status).toBe('running');
    expect(run.waitingForInput).toBeUndefined();
  }
  await bash.job({ action: 'kill', id: results.map(jobOf) });
});

test('a job is answered after the program that started it is gone', async () => {
  const options = {
    ...{ stateDirectory, session: bash.session },
    env: { NACRE_TEST_MARKER: marker.split('=')[1] },
  };
  const input = { command: ASK, stdin: { open: true }, wait: 0 };
  const script = join(import.meta.dirname, '../../helpers/tool-caller.mjs');
  const args = [script, '--input', JSON.stringify(input), '--options', JSON.stringify(options)];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, '--end', 'exit']);
  const id = (JSON.parse(stdout) as MachineResult).runId ?? '';
  await bash.job({ action: 'send', id, text: 'Grace\n' });
  expect(textOf(await bash.job({ action: 'wait', id, seconds: 30 }))).toMatch(/^completed[\s\S]*hello Grace/);
});
