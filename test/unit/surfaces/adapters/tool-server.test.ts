import { expect, test } from 'vitest';
import { createBash } from '../../../../src/index.ts';
import { bashServer } from '../../../../src/surfaces/adapters/claude-agent-sdk.ts';
import { type Behaviour, createFakeHost } from '../../../helpers/fake-host.ts';
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts';

interface Sent {
  readonly id?: number;
  readonly method?: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number };
  readonly params?: Record<string, unknown>;
}

/** The server with somebody at the other end, who keeps what was sent. */
async function connect(behave: Behaviour) {
  const directory = temporaryDirectory();
  const host = createFakeHost({ directory, behave });
  const bash = createBash({ cwd: directory, stateDirectory: directory, host });
  const sent: Sent[] = [];
  const transport = {
    onmessage: (_message: unknown): void => undefined,
    onclose: (): void => undefined,
    start: async () => undefined,
    send: async (message: Sent) => void sent.push(message),
  };
  const { instance, ...config } = bashServer(bash, { name: 'shell' });
  await (instance as { connect(to: object): Promise<void> }).connect(transport);
  const answerTo = (id: number) =>
    expect.poll(() => sent.find((message) => message.id === id), { timeout: 10_000 });
  return { transport, sent, host, config, answerTo };
}

const call = (id: number, more: object = {}) => ({
  id,
  method: 'tools/call',
  params: { name: 'bash', arguments: { command: 'true' }, ...more },
});

test('it says hello, lists its tools, and knows what it does not know', async () => {
  const { transport, config, answerTo } = await connect((run) => run.end());
  expect(config).toEqual({ type: 'sdk', name: 'shell' });
  transport.onmessage({ id: 1, method: 'initialize', params: { protocolVersion: '2025-03-26' } });
  await answerTo(1).toMatchObject({
    result: { protocolVersion: '2025-03-26', serverInfo: { name: 'shell' } },
  });
  transport.onmessage({ method: 'notifications/initialized' });
  transport.onmessage({ id: 2, method: 'tools/list' });
  await answerTo(2).toMatchObject({
    result: { tools: [{ name: 'bash', inputSchema: {} }, { name: 'job' }] },
  });
  transport.onmessage({ id: 3, method: 'prompts/list' });
  await answerTo(3).toMatchObject({ error: { code: -32601 } });
  transport.onmessage({ id: 4, method: 'ping' });
  await answerTo(4).toMatchObject({ result: {} });
});

test('a call is answered with its text; a tool that is not there is an error', async () => {
  const { transport, answerTo } = await connect((run) => {
    run.print('hi\n');
    run.end();
  });
  transport.onmessage(call(1));
  await answerTo(1).toMatchObject({ result: { content: [{ type: 'text', text: 'hi\n' }], isError: false } });
  transport.onmessage(call(2, { name: 'other' }));
  await answerTo(2).toMatchObject({ result: { isError: true } });
});

test('who asks for progress gets it, and nobody else', async () => {
  const behave: Behaviour = (run) => {
    run.print('half\n');
    setTimeout(() => run.end(), 120);
  };
  const { transport, sent, answerTo } = await connect(behave);
  transport.onmessage(call(1, { _meta: { progressToken: 'p' } }));
  await answerTo(1).toBeDefined();
  expect(sent[0]).toMatchObject({
    method: 'notifications/progress',
    params: { progressToken: 'p', progress: 1, message: 'half\n' },
  });
  sent.length = 0;
  transport.onmessage(call(2));
  await answerTo(2).toBeDefined();
  expect(sent).toHaveLength(1);
});

test('a cancelled call ends its command and no other; a connection that closes ends all', async () => {
  const { transport, host, answerTo } = await connect(() => undefined);
  // One after the other, so that the second run is that of the second call.
  for (const id of [1, 2, 3]) {
    transport.onmessage(call(id));
    await expect.poll(() => host.runs.length, { timeout: 10_000 }).toBe(id);
  }
  transport.onmessage({ method: 'notifications/cancelled', params: { requestId: 2 } });
  await answerTo(2).toMatchObject({ result: { isError: true } });
  expect(host.runs.map(({ heard }) => heard.length)).toEqual([0, 1, 0]);
  transport.onclose();
  await answerTo(3).toBeDefined();
  expect(host.runs.map(({ heard }) => heard.length)).toEqual([1, 1, 1]);
});
