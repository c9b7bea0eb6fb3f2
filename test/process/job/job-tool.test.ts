import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { jobOf, textOf, useRealBash } from '../../helpers/real-bash.ts';

const { open, stateDirectory } = useRealBash();
const bash = open();

async function start(command: string, more: object = {}): Promise<string> {
  return jobOf(await bash.call({ command, async: true, ...more }));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('a call that outlives its wait', () => {
  test('loses no output printed before, during and after the move to the background', async () => {
    const result = await bash.call({ command: 'for i in {1..60}; do echo $i; sleep 0.01; done', wait: 0.2 });
    const id = jobOf(result);
    expect(result.run.status).toBe('running');
    await bash.jobs.wait([id]);
    const all = Array.from({ length: 60 }, (_, at) => `${at + 1}\n`).join('');
    expect((await bash.jobs.peek(id, { from: 0 })).text).toBe(all);
    expect(readFileSync(result.run.job?.outputFile ?? '', 'utf8')).toBe(
      `${all}\n\n[background process completed]\n`,
    );
  });

  test('is found again when it has ended, with how it ended', async () => {
    const id = jobOf(await bash.call({ command: 'read -r; exit 7', stdin: { open: true }, wait: 0 }));
    await bash.jobs.send(id, { end: true });
    await bash.jobs.wait([id]);
    expect(bash.jobs.find(id)).toMatchObject({ state: 'failed', status: 'exited', exitCode: 7 });
    expect(bash.jobs.list().map((job) => job.id)).toContain(id);
  });

  test('survives the close of its instance', async () => {
    const other = open({ session: 'closing' });
    const id = jobOf(await other.call({ command: 'sleep 1000', wait: 0 }));
    await other.close();
    const again = open({ session: 'closing' });
    expect(again.jobs.find(id).state).toBe('running');
    await again.jobs.kill(id, { escalate: true });
  });
});

describe('wait', () => {
  test('for the end: the answer begins with the status and the exit code', async () => {
    const id = await start('echo out; exit 3');
    const result = await bash.job({ action: 'wait', id });
    expect(textOf(result)).toMatch(/^failed \(exit code 3\) after \d/);
    expect(textOf(result)).toContain('out');
    expect(result).toMatchObject({
      isError: false,
      details: { action: 'wait', why: 'met', jobs: [{ id, state: 'failed', exitCode: 3 }] },
    });
  });

  test('for a line, also one without its newline, and one that was printed before', async () => {
    const id = await start('printf "server ready on 80"; sleep 1000');
    for (const seconds of [20, 0]) {
      const result = await bash.job({ action: 'wait', id, pattern: 'ready on (\\d+)', seconds });
      expect(textOf(result)).toContain('Line 1 matches: server ready on 80');
      expect(result.details.jobs[0]?.met).toMatchObject({ kind: 'output', line: 'server ready on 80' });
    }
    await bash.job({ action: 'kill', id });
  });

  test('for a port, and says whose it is not', async () => {
    const port = await freePort();
    const id = await start(`exec python3 -m http.server ${port} --bind 127.0.0.1`);
    const other = await start('sleep 1000');
    const result = await bash.job({ action: 'wait', id, port, seconds: 30 });
    expect(textOf(result)).toContain(`Listens on port ${port}.\nPort ${port} accepts connections.\n`);
    expect(textOf(await bash.job({ action: 'wait', id: other, port }))).toContain(
      `Port ${port} accepts connections. No process of this job listens on it.`,
    );
    expect(textOf(await bash.job({ action: 'list' }))).toMatch(new RegExp(`job ${id}, .*\\(port ${port}`));
    await bash.job({ action: 'kill', id: [id, other] });
  });

  test('ends at once when the condition cannot be met any more', async () => {
    const id = await start('echo hello');
    const result = await bash.job({ action: 'wait', id, pattern: 'goodbye', seconds: 1000 });
    expect(result.details.why).toBe('never');
    expect(textOf(result)).toMatch(
      /^completed \(exit code 0\)[^\n]*\nThe condition cannot be met any more\./,
    );
  });

  test('for a time: nothing is killed', async () => {
    const id = await start('sleep 1000');
    const result = await bash.job({ action: 'wait', id, seconds: 0.05 });
    expect(textOf(result)).toMatch(/^running for [^\n]*\nThe condition was not met within 0\.1 s\./);
    expect(bash.jobs.find(id).state).toBe('running');
    await bash.job({ action: 'kill', id });
  });

  test('for the first of several, or for all of them', async () => {
    const slow = await start('sleep 1000');
    const quick = [await start('exit 4'), await start('exit 5')];
    const first = await bash.job({ action: 'wait', id: [slow, ...quick], seconds: 30 });
    expect(textOf(first)).toMatch(/^failed \(exit code [45]\)/);
    const all = await bash.job({ action: 'wait', id: quick, all: true, seconds: 30 });
    expect(all.details.jobs.map(({ exitCode }) => exitCode).sort()).toEqual([4, 5]);
    await bash.job({ action: 'kill', id: slow });
  });

  test('is ended by the caller or by a yield of the instance; the job keeps running', async () => {
    const id = await start('sleep 1000');
    const controller = new AbortController();
    const waits = [
      bash.job({ action: 'wait', id, seconds: 3_600 }, { signal: controller.signal }),
      bash.job({ action: 'wait', id, seconds: 3_600 }),
    ];
    controller.abort();
    expect((await waits[0])?.details).toMatchObject({ why: 'aborted', jobs: [{ state: 'running' }] });
    bash.yield();
    expect((await waits[1])?.details).toMatchObject({ why: 'aborted', jobs: [{ state: 'running' }] });
    await bash.job({ action: 'kill', id });
  });

  test('for a job whose leftovers go on is over when they are', async () => {
    const result = await bash.call({ command: 'sleep 1000 & echo started' });
    const id = jobOf(result);
    expect((await bash.job({ action: 'wait', id, seconds: 0.05 })).details.why).toBe('time');
    await bash.job({ action: 'kill', id });
    expect((await bash.job({ action: 'wait', id, seconds: 30 })).details.why).toBe('met');
  });
});

describe('peek', () => {
  test('any number may read, each from its own place, and nothing is taken away', async () => {
    const id = await start('echo one; echo two; printf thr; sleep 1000');
    await bash.job({ action: 'wait', id, pattern: 'thr', seconds: 20 });
    const whole = await bash.jobs.peek(id, { from: 0 });
    expect(whole).toMatchObject({ text: 'one\ntwo\nthr', next: 11, totalBytes: 11 });
    expect((await bash.jobs.peek(id, { from: 4 })).text).toBe('two\nthr');
    expect((await bash.jobs.peek(id, { from: 11 })).text).toBe('');
    expect((await bash.jobs.peek(id, { from: 9_999 })).text).toBe('');
    expect((await bash.jobs.peek(id, { lines: 1 })).text).toBe('thr');
    expect(textOf(await bash.job({ action: 'peek', id, lines: 2 }))).toMatch(
      /^running for .*\n\ntwo\nthr\n\n\[lines 2-3; continue from byte 11\]$/,
    );
    await bash.job({ action: 'kill', id });
  });

  test('output.maxBytes limits the output in an answer of the job tool', async () => {
    const small = open({ output: { maxBytes: 1024 } });
    const ids = [
      jobOf(await small.call({ command: 'seq 100000', async: true })),
      jobOf(await small.call({ command: 'seq 100000', async: true })),
    ];
    const waited = await small.job({ action: 'wait', id: ids, all: true, seconds: 60 });
    expect(waited.details.jobs.map(({ output }) => Buffer.byteLength(output?.text ?? '') <= 512)).toEqual([
      true,
      true,
    ]);
    for (const select of [{ lines: 1000 }, { from: 0 }]) {
      const peeked = await small.job({ action: 'peek', id: ids[0], ...select });
      const shown = peeked.details.jobs[0]?.output?.text ?? '';
      expect(shown).not.toBe('');
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(1024);
    }
  });

  test('of an output that is too long to be counted costs no more than of a short one', async () => {
    const id = await start('yes "a line of output" | head -c 40M; echo; echo last');
    await bash.jobs.wait([id]);
    const { text, lines, next, totalBytes } = await bash.jobs.peek(id, { lines: 3 });
    expect(text).toMatch(/^a line of output\n.*\nlast\n$/);
    expect({ lines, next }).toEqual({ lines: [], next: totalBytes });
    expect(totalBytes).toBe(40 * 1024 ** 2 + 6);
  });

  test('a character that is not whole yet belongs to the next part', async () => {
    const id = await start(`printf 'a\\xe2\\x82'; sleep 1000`);
    await expect.poll(async () => (await bash.jobs.peek(id)).totalBytes, { timeout: 20_000 }).toBe(3);
    expect(await bash.jobs.peek(id, { from: 0 })).toMatchObject({ text: 'a', next: 1 });
    await bash.job({ action: 'kill', id });
  });

  test('works from another program of the session, and not from another session', async () => {
    const id = await start('echo mine; sleep 1000');
    const same = open({ session: bash.session });
    await expect.poll(async () => (await same.jobs.peek(id)).text, { timeout: 20_000 }).toBe('mine\n');
    const stranger = open({ session: 'stranger' });
    expect((await stranger.job({ action: 'peek', id })).error?.id).toBe('job_not_found');
    expect((await stranger.job({ action: 'kill', id })).error?.id).toBe('job_not_found');
    expect(stranger.jobs.list()).toEqual([]);
    await same.job({ action: 'kill', id });
  });
});

describe('kill', () => {
  test('sends exactly the signal that was asked for', async () => {
    const id = await start('trap "echo usr" USR1; echo ready; while :; do sleep 0.05; done');
    await bash.job({ action: 'wait', id, pattern: 'ready', seconds: 20 });
    const sent = await bash.job({ action: 'kill', id, signal: 'usr1' });
    expect(textOf(sent)).toMatch(/^running for .*\nThe signal was sent; the job is still running\.$/);
    expect((await bash.job({ action: 'wait', id, pattern: '^usr$', seconds: 20 })).details.why).toBe('met');
    expect(textOf(await bash.job({ action: 'kill', id, signal: '9' }))).toMatch(
      /^failed \(exit code 137, SIGKILL\)/,
    );
    expect(textOf(await bash.job({ action: 'kill', id }))).toContain('It had already ended.');
  });

  test('stops the job for certain with escalate', async () => {
    const id = await start('trap "" TERM; echo ready; while :; do sleep 1000; done');
    await bash.job({ action: 'wait', id, pattern: 'ready', seconds: 20 });
    const report = await bash.jobs.kill(id, { escalate: true, graceMs: 50 });
    expect(report).toMatchObject({ survivors: [], job: { state: 'failed' } });
  });
});

test('prune deletes ended jobs only', async () => {
  const own = open({ session: 'pruned' });
  const over = jobOf(await own.call({ command: 'true', async: true }));
  const going = jobOf(await own.call({ command: 'sleep 1000', async: true }));
  await own.jobs.wait([over]);
  expect(await own.jobs.prune({ olderThanMs: 3_600_000 })).toBe(0);
  expect(await own.jobs.prune()).toBe(1);
  expect(own.jobs.list().map(({ id }) => id)).toEqual([going]);
  await own.jobs.kill(going, { escalate: true });
  expect(readFileSync(`${stateDirectory}/runs/${going}/run.json`, 'utf8')).toContain('pruned');
});
