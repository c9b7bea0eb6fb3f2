import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type LinePeer, useLines } from '../../helpers/line-peer.ts';

const start = useLines('rpc');

const memory = ({ child }: LinePeer): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))?.[1]);

async function stillAnswers(rpc: LinePeer): Promise<void> {
  rpc.send({ id: 'after', type: 'bash', command: 'echo still here' });
  expect((await rpc.response('after')).data).toMatchObject({ output: 'still here\n' });
}

test.each([
  ['no JSON', Buffer.from('{"type":'), 'it is not JSON'],
  ['no object', Buffer.from('[1]'), 'it is not a JSON object'],
  ['no type', Buffer.from('{}'), 'it has no type'],
  ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'it is not valid UTF-8'],
  ['an id that is none', Buffer.from('{"id":[],"type":"hello"}'), 'its id is neither a string nor a number'],
])('a line with %s is told, and the loop goes on', async (_, line, problem) => {
  const rpc = start();
  rpc.write(Buffer.concat([line, Buffer.from('\n')]));
  expect(await rpc.line(({ success }) => success === false)).toMatchObject({
    ...{ type: 'response', command: 'parse', errorId: 'bad_line', error: expect.stringContaining(problem) },
  });
  await stillAnswers(rpc);
});

test('a bad line with a good id is told by it', async () => {
  const rpc = start();
  rpc.send({ id: 7 });
  expect(await rpc.response(7)).toMatchObject({ success: false, errorId: 'bad_line' });
});

test('a line of 100 MB is refused in bounded memory', async () => {
  const rpc = start();
  await stillAnswers(rpc);
  const before = memory(rpc);
  rpc.write('{"id":1,"type":"bash","command":"');
  for (let mega = 0; mega < 100; mega += 1) rpc.write('x'.repeat(1_000_000));
  rpc.write('"}\n');
  expect(await rpc.line(({ success }) => success === false)).toMatchObject({
    error: expect.stringContaining('it has 100000035 bytes; the limit is 8388608'),
  });
  expect(memory(rpc) - before).toBeLessThan(80_000);
  rpc.lines.length = 0;
  await stillAnswers(rpc);
});

test('the longest line is taken, and one byte more is not', async () => {
  const rpc = start();
  const line = (bytes: number): string => {
    const [head, tail] = ['{"id":1,"type":"bash","x":"', '"}'];
    return `${head}${'y'.repeat(bytes - head.length - tail.length)}${tail}\n`;
  };
  rpc.write(line(8 * 1024 * 1024));
  expect(await rpc.response(1)).toMatchObject({ errorId: 'bad_input' });
  rpc.write(line(8 * 1024 * 1024 + 1));
  expect(await rpc.line(({ errorId }) => errorId === 'bad_line')).toMatchObject({ success: false });
});

test('deep nesting is refused like any other value that does not fit', async () => {
  const rpc = start();
  rpc.write(`{"id":1,"type":"bash","command":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}\n`);
  expect(await rpc.response(1)).toMatchObject({ success: false, errorId: 'bad_input' });
  await stillAnswers(rpc);
});

test('a client that stops reading holds the command back, not our memory; nothing is lost', async () => {
  const rpc = start();
  await stillAnswers(rpc);
  const before = memory(rpc);
  rpc.child.stdout?.pause();
  const command = "head -c 60000000 /dev/zero | tr '\\0' x | fold -w 99";
  rpc.send({ id: 1, type: 'bash', command, stream: true, updates: true });
  for (let id = 2; id < 40; id += 1) rpc.send({ id, type: 'bash', command: 'seq 20000', stream: true });
  await vi.waitFor(() => expect(memory(rpc)).toBeGreaterThan(before), { timeout: 20_000 });
  const peak = Array.from({ length: 20 }, () => memory(rpc)).reduce((most, now) => Math.max(most, now));
  expect(peak - before).toBeLessThan(120_000);
  rpc.child.stdout?.resume();
  const { data } = await rpc.response(1);
  for (let id = 2; id < 40; id += 1) await rpc.response(id);
  const streamed = rpc.lines
    .filter(({ id, type }) => id === 1 && type === 'bash_execution_update')
    .reduce((sum, { delta }) => sum + String(delta).length, 0);
  expect(streamed).toBe(data.totalBytes);
}, 120_000);

test('a client that vanishes in the middle of a call takes it along', async () => {
  const rpc = start();
  rpc.send({
    id: 1,
    type: 'bash',
    command: 'echo $$; for ((;;)); do echo more; sleep 0.05; done',
    stream: true,
  });
  const { delta } = await rpc.line(({ delta }) => /^\d+\n/.test(String(delta)));
  rpc.child.stdout?.destroy();
  rpc.child.stdin?.destroy();
  expect(await rpc.exited).toBe(0);
  expect(() => process.kill(Number.parseInt(String(delta), 10), 0)).toThrow();
});

test('so many calls at once, and no more', async () => {
  const rpc = start();
  execFileSync('mkfifo', [join(rpc.root, 'gate')]);
  for (let id = 0; id < 101; id += 1) rpc.send({ id, type: 'bash', command: ': <gate' });
  expect(await rpc.response(100)).toMatchObject({ success: false, errorId: 'too_many' });
  const opened = startWriter(join(rpc.root, 'gate'));
  for (let id = 0; id < 100; id += 1) expect((await rpc.response(id)).data).toMatchObject({ exitCode: 0 });
  opened.kill();
}, 120_000);

test('so many waits for a job and no more; calls do not count among them', async () => {
  const rpc = start();
  rpc.send({ id: 'job', type: 'bash', command: 'sleep 1000', async: true });
  const { run } = (await rpc.response('job')).data as { run: { job: { id: string; pgid: number } } };
  for (let id = 0; id < 101; id += 1)
    rpc.send({ id, type: 'job', input: { action: 'wait', id: run.job.id } });
  expect(await rpc.response(100)).toMatchObject({ success: false, errorId: 'too_many' });
  await stillAnswers(rpc);
  process.kill(-run.job.pgid, 'SIGKILL');
  for (let id = 0; id < 100; id += 1) expect((await rpc.response(id)).success).toBe(true);
});

test('artifacts are read one after the other, and no faster than the client takes them', async () => {
  const rpc = start();
  rpc.send({ id: 'long', type: 'bash', command: "head -c 3000000 /dev/zero | tr '\\0' x" });
  const { artifactId: artifact } = (await rpc.response('long')).data;
  const before = memory(rpc);
  rpc.child.stdout?.pause();
  const read = { type: 'read_artifact', artifact, bytes: { from: 0, to: 1_000_000 }, raw: true };
  for (let id = 0; id < 200; id += 1) rpc.send({ id, ...read });
  await expect.poll(() => memory(rpc), { timeout: 20_000 }).toBeGreaterThan(before);
  const peak = Array.from({ length: 20 }, () => memory(rpc)).reduce((most, now) => Math.max(most, now));
  expect(peak - before).toBeLessThan(120_000);
  rpc.child.stdout?.resume();
  for (let id = 0; id < 200; id += 1) expect((await rpc.response(id)).success).toBe(true);
}, 120_000);

/** Holds a pipe open for writing, so that nobody has to wait for a writer. */
function startWriter(path: string): ChildProcess {
  return spawn('bash', ['-c', `exec 3<>"$1"; exec sleep 1000`, 'bash', path], { stdio: 'ignore' });
}
