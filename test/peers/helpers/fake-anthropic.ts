import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What the model was sent. */
export interface AnthropicRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string }[];
}

/**
 * A model on loopback that speaks the Messages API, streamed. It calls the first tool that `pick` wants, with the input given, and
 * says `done` once a result has come back.
 */
export async function fakeAnthropic(pick: (name: string) => boolean, input: unknown) {
  const requests: AnthropicRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (!request.url?.startsWith('/v1/messages') || request.url.includes('count_tokens')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens": 1}');
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString()) as AnthropicRequest;
    requests.push(body);
    const tool = body.tools?.find(({ name }) => pick(name));
    const answered = JSON.stringify(body.messages).includes('"tool_result"');
    const block =
      tool !== undefined && !answered
        ? { type: 'tool_use', id: 'toolu_1', name: tool.name, input: {} }
        : { type: 'text', text: '' };
    const delta =
      block.type === 'tool_use'
        ? { type: 'input_json_delta', partial_json: JSON.stringify(input) }
        : { type: 'text_delta', text: 'done' };
    const stop_reason = block.type === 'tool_use' ? 'tool_use' : 'end_turn';
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [],
      usage,
    };
    const events = [
      { type: 'message_start', message: { ...message, stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason }, usage },
      { type: 'message_stop' },
    ];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  /** The blocks that came back for the call. */
  const results = () =>
    requests
      .flatMap(({ messages }) => messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])))
      .filter(({ type }) => type === 'tool_result') as { content: unknown; is_error?: boolean }[];
  return { url: `http://127.0.0.1:${port}`, requests, results };
}
