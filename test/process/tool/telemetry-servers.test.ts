import { expect, test } from 'vitest';
import { openEditor, read } from '../../helpers/acp-client.ts';
import { openCollector } from '../../helpers/collector.ts';
import { useLines } from '../../helpers/line-peer.ts';
import { connectMcp, ERAS } from '../../helpers/mcp-client.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const OURS = { traceparent: `00-${TRACE}-${CALLER}-01`, tracestate: 'vendor=value' };
const COMMAND = 'echo "${TRACEPARENT-none} ${TRACESTATE-none}"';
const PARENTS = /^00-(\w{32})-(\w{16})-01 (.*)$/;

const startRpc = useLines('rpc');

/** What the command saw, in parts. */
function seenIn(text: unknown): { trace: string; span: string; state: string } {
  const [, trace = '', span = '', state = ''] = PARENTS.exec(String(text).trim()) ?? [];
  return { trace, span, state };
}

test.each(ERAS)(
  'a call over MCP is a child of the span that its request names, revision $era',
  async ({ era }) => {
    const { url, spans } = await openCollector();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
    const { client } = await connectMcp({ root: temporaryDirectory(), era, env });
    const call = async (meta: object): Promise<ReturnType<typeof seenIn>> => {
      const params = { name: 'bash', arguments: { command: COMMAND }, _meta: { ...meta } };
      const { structuredContent } = await client.callTool(params);
      return seenIn((structuredContent as { output: { text: string } }).output.text);
    };
    const well = await call(OURS);
    const none = await call({});
    const wrong = await call({ traceparent: 7, tracestate: 'a\0b' });
    const badState = await call({ ...OURS, tracestate: 'a\0b' });
    await client.callTool({ name: 'job', arguments: { action: 'list' }, _meta: { ...OURS } });
    await client.close();
    expect(well).toEqual({ trace: TRACE, span: expect.any(String), state: 'vendor=value' });
    expect(badState).toEqual({ trace: TRACE, span: expect.any(String), state: 'none' });
    expect([none.trace, wrong.trace]).not.toContain(TRACE);
    await expect.poll(() => spans().length, { timeout: 20_000 }).toBe(5);
    expect(spans().map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
      ['execute_tool bash', CALLER],
      ['execute_tool bash', undefined],
      ['execute_tool bash', undefined],
      ['execute_tool bash', CALLER],
      ['execute_tool job', CALLER],
    ]);
    expect(spans()[0]?.spanId).toBe(well.span);
  },
);

test('a call over RPC is a child of the span that its request names', async () => {
  const { url, spans } = await openCollector();
  const rpc = startRpc({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } });
  rpc.send({ id: 1, type: 'bash', command: COMMAND, ...OURS });
  const well = seenIn((await rpc.response(1)).data.output);
  rpc.send({ id: 2, type: 'bash', command: COMMAND, traceparent: null });
  expect(seenIn((await rpc.response(2)).data.output).trace).not.toBe(TRACE);
  rpc.send({ id: 3, type: 'bash', command: COMMAND, traceparent: 7 });
  expect(await rpc.response(3)).toMatchObject({
    ...{ success: false, errorId: 'bad_input', error: expect.stringContaining('traceparent') },
  });
  rpc.send({ id: 4, type: 'job', input: { action: 'list' }, ...OURS });
  await rpc.response(4);
  rpc.send({ id: 5, type: 'shutdown' });
  expect(await rpc.exited).toBe(0);
  expect(well).toEqual({ trace: TRACE, span: spans()[0]?.spanId, state: 'vendor=value' });
  expect(spans().map(({ parentSpanId }) => parentSpanId)).toEqual([CALLER, undefined, CALLER]);
});

test('where nobody makes spans, the parent that a request names reaches the command as it is', async () => {
  const rpc = startRpc();
  rpc.send({ id: 1, type: 'bash', command: COMMAND, ...OURS });
  expect((await rpc.response(1)).data.output).toBe(`${OURS.traceparent} ${OURS.tracestate}\n`);
});

test('a turn over ACP is a child of the span that its prompt names', async () => {
  const { connection, sessionId, updates } = await openEditor();
  const prompt = [{ type: 'text' as const, text: COMMAND }];
  await connection.agent.request('session/prompt', { sessionId, prompt, _meta: { ...OURS } });
  expect(read(updates).last).toMatchObject({
    rawOutput: { output: { text: `${OURS.traceparent} ${OURS.tracestate}\n` } },
  });
});
