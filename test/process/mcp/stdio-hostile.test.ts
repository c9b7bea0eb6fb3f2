import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { isAlive } from '../../helpers/is-alive.ts';
import { type Line, type LinePeer, useLines } from '../../helpers/line-peer.ts';

const start = useLines('mcp');

async function open(): Promise<LinePeer> {
  const peer = start();
  const clientInfo = { name: 'by hand', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  peer.send({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params });
  await answer(peer, 'hello');
  peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return peer;
}

const answer = (peer: LinePeer, id: string | number): Promise<Line> =>
  peer.line((line) => line.id === id && line.method === undefined);

const call = (peer: LinePeer, id: string | number, input: object, name = 'bash'): void =>
  peer.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: input } });

async function stillAnswers(peer: LinePeer): Promise<void> {
  call(peer, 'after', { command: 'echo still here' });
  expect(await answer(peer, 'after')).toMatchObject({
    result: { structuredContent: { output: { text: 'still here\n' } } },
  });
}

const memory = ({ child }: LinePeer): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))?.[1]);

test.each([
  ['no JSON', Buffer.from('{"jsonrpc":'), null, -32_700, 'The line is not JSON'],
  ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), null, -32_700, 'The line is not valid UTF-8'],
  ['no message', Buffer.from('[]'), null, -32_600, 'not a JSON-RPC 2.0 message'],
  ['no version', Buffer.from('{"id":7,"method":"ping"}'), 7, -32_600, 'not a JSON-RPC 2.0 message'],
  ['an id that is none', Buffer.from('{"jsonrpc":"2.0","id":{},"method":"ping"}'), null, -32_600, 'not a'],
])('a line with %s is told, and the conversation goes on', async (_, line, id, code, problem) => {
  const peer = await open();
  peer.write(Buffer.concat([line, Buffer.from('\n')]));
  expect(await peer.line(({ error }) => error !== undefined)).toEqual({
    jsonrpc: '2.0',
    id,
    error: { code, message: expect.stringContaining(problem) },
  });
  await stillAnswers(peer);
});

test('a line of 100 MB is refused in bounded memory', async () => {
  const peer = await open();
  await stillAnswers(peer);
  const before = memory(peer);
  peer.write('{"jsonrpc":"2.0","id":1,"method":"');
  for (let mega = 0; mega < 100; mega += 1) peer.write('x'.repeat(1_000_000));
  peer.write('"}\n');
  expect(await peer.line(({ error }) => error !== undefined)).toMatchObject({
    error: { code: -32_600, message: 'The line has 100000036 bytes; the limit is 8388608.' },
  });
  expect(memory(peer) - before).toBeLessThan(80_000);
  peer.lines.length = 0;
  await stillAnswers(peer);
});

test('the longest line is taken, and one byte more is not', async () => {
  const peer = await open();
  const line = (bytes: number): string => {
    const [head, tail] = ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"', '"}}'];
    return `${head}${'y'.repeat(bytes - head.length - tail.length)}${tail}\n`;
  };
  peer.write(line(8 * 1024 * 1024));
  expect(await answer(peer, 1)).toMatchObject({ result: {} });
  peer.write(line(8 * 1024 * 1024 + 1));
  expect(await peer.line(({ error }) => error !== undefined)).toMatchObject({ id: null });
});

test('deep nesting is refused like any other value that does not fit', async () => {
  const peer = await open();
  const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
  peer.write(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bash","arguments":{"command":${deep}}}}\n`,
  );
  expect(await answer(peer, 1)).toMatchObject({ result: { isError: true } });
  await stillAnswers(peer);
});

test('so many calls at once and no more, and then again', async () => {
  const peer = await open();
  const gate = join(peer.root, 'gate');
  execFileSync('mkfifo', [gate]);
  for (let id = 0; id < 101; id += 1) call(peer, id, { command: ': <gate' });
  const refused = (await answer(peer, 100)) as { result?: { content: { text: string }[] } };
  expect(refused.result).toMatchObject({
    isError: true,
    structuredContent: { status: 'refused', error: { id: 'too_many' } },
  });
  expect(refused.result?.content[0]?.text).toBe(
    '100 calls are under way, which is the limit. Wait for one to end first.',
  );
  const writer = spawn('bash', ['-c', 'exec 3<>"$1"; exec sleep 1000', 'bash', gate], { stdio: 'ignore' });
  for (let id = 0; id < 100; id += 1)
    expect(await answer(peer, id)).toMatchObject({ result: { structuredContent: { exitCode: 0 } } });
  writer.kill();
  await stillAnswers(peer);
}, 120_000);

test('so many waits for a job and no more; calls do not count among them', async () => {
  const peer = await open();
  call(peer, 'job', { command: 'sleep 1000', async: true });
  const { result } = (await answer(peer, 'job')) as {
    result?: { structuredContent: { job: { id: string } } };
  };
  const { id: job } = result?.structuredContent.job ?? { id: '' };
  for (let id = 0; id < 101; id += 1) call(peer, id, { action: 'wait', id: job }, 'job');
  expect(await answer(peer, 100)).toMatchObject({
    result: { isError: true, structuredContent: { jobs: [], error: { id: 'too_many' } } },
  });
  await stillAnswers(peer);
  peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } });
  await vi.waitFor(
    async () => {
      peer.lines.length = 0;
      call(peer, 'kill', { action: 'kill', id: job, escalate: true }, 'job');
      expect(await answer(peer, 'kill')).toMatchObject({ result: { isError: false } });
    },
    { timeout: 20_000 },
  );
});

test('a client that stops reading is not read either, and costs no memory; nothing is lost', async () => {
  const peer = await open();
  call(peer, 'long', { command: "head -c 3000000 /dev/zero | tr '\\0' x | fold -w 99" });
  const { result } = (await answer(peer, 'long')) as { result?: { structuredContent: { artifact: string } } };
  const uri = `${result?.structuredContent.artifact}?bytes=0-1000000`;
  const before = memory(peer);
  peer.child.stdout?.pause();
  const COUNT = 100;
  const ask = (id: number): void =>
    peer.send({ jsonrpc: '2.0', id, method: 'resources/read', params: { uri } });
  let peak = 0;
  const look = setInterval(() => {
    peak = Math.max(peak, memory(peer));
  }, 20);
  for (let id = 0; id < COUNT; id += 1) ask(id);
  await vi.waitFor(() => expect(peak).toBeGreaterThan(before), { timeout: 20_000 });
  peer.child.stdout?.resume();
  for (let id = 0; id < COUNT; id += 1)
    expect(await answer(peer, id)).toMatchObject({ result: { contents: [{ uri }] } });
  clearInterval(look);
  expect(peak - before).toBeLessThan(80_000);
}, 120_000);

test('a client that vanishes in the middle of a call takes it along', async () => {
  const peer = await open();
  call(peer, 1, { command: `setsid bash -c 'echo $$ >pid; exec sleep 1000' & wait` });
  const pid = (): number => Number(readFileSync(join(peer.root, 'pid'), 'utf8'));
  await vi.waitFor(() => expect(pid()).toBeGreaterThan(0), { timeout: 20_000 });
  peer.child.stdout?.destroy();
  peer.child.stdin?.destroy();
  expect(await peer.exited).toBe(0);
  await vi.waitFor(() => expect(isAlive(pid())).toBe(false), { timeout: 20_000 });
});
