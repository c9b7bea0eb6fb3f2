import { openServer } from './fake-server.ts';

/** A model that calls our tool once and then says `done`. */
export interface FakeModel {
  readonly url: string;
  /** What it was shown as the result of the call, as text. */
  shown(): string | null;
  /** The names of the tools it was offered, and whatever else there is to say when a test fails. */
  offered(): readonly string[];
}

interface Named {
  readonly name?: string;
  readonly tools?: readonly Named[];
}

/** The Responses API of OpenAI. */
export async function fakeOpenAi(input: unknown): Promise<FakeModel> {
  let shown: string | null = null;
  const names = new Set<string>();
  const url = await openServer(({ body, events, json, url: path }) => {
    if (!path.includes('/responses')) return json({ models: [], data: [] });
    const { tools = [], input: items = [] } = body as {
      tools?: Named[];
      input?: { type?: string; output?: unknown }[];
    };
    const group = tools.find(({ name }) => name?.includes('nacre'));
    for (const { name = '', tools: inner } of tools)
      names.add(inner === undefined ? name : `${name}/${inner.map((each) => each.name)}`);
    const output = items.find(({ type }) => type === 'function_call_output');
    if (output !== undefined) shown = textIn(output.output);
    const call = {
      ...{ type: 'function_call', call_id: 'call_1', arguments: JSON.stringify(input) },
      ...(group?.tools === undefined
        ? { name: 'mcp__nacre__bash' }
        : { name: 'bash', namespace: group.name }),
    };
    const done = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] };
    const item = output === undefined ? call : done;
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const stream = [
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'response.output_item.done', item },
      { type: 'response.completed', response: { id: 'resp_1', usage } },
    ];
    events(stream.map((data) => ({ event: data.type, data })));
  });
  return { url, shown: () => shown, offered: () => [...names] };
}

/** The API of Gemini. */
export async function fakeGemini(input: unknown): Promise<FakeModel> {
  let shown: string | null = null;
  const names = new Set<string>();
  const url = await openServer(({ body, events, json, url: path }) => {
    const { contents = [], tools = [] } = body as {
      contents?: { parts?: { functionResponse?: { response?: unknown } }[] }[];
      tools?: { functionDeclarations?: Named[] }[];
    };
    const declared = tools.flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.map(({ name = '' }) => name),
    );
    for (const name of declared) names.add(name);
    const response = contents
      .flatMap(({ parts = [] }) => parts)
      .find((part) => part.functionResponse !== undefined);
    if (response !== undefined) shown = textIn(response.functionResponse?.response);
    const ours = declared.find((name) => name.includes('nacre') && name.endsWith('bash'));
    const part =
      ours !== undefined && response === undefined
        ? { functionCall: { name: ours, args: input } }
        : { text: 'done' };
    const answer = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    };
    if (path.includes('streamGenerateContent')) events([{ data: answer }]);
    else if (path.includes('countTokens')) json({ totalTokens: 1 });
    else json(answer);
  });
  return { url, shown: () => shown, offered: () => [...names] };
}

/** The Messages API of Anthropic. */
export async function fakeAnthropic(input: unknown): Promise<FakeModel> {
  let shown: string | null = null;
  const names = new Set<string>();
  const url = await openServer(({ body, events, json, url: path }) => {
    if (!path.startsWith('/v1/messages') || path.includes('count_tokens')) return json({ input_tokens: 1 });
    const { tools = [], messages = [] } = body as { tools?: Named[]; messages?: { content: unknown }[] };
    for (const { name = '' } of tools) names.add(name);
    const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    const result = blocks.find(({ type }: { type: string }) => type === 'tool_result') as
      | { content: unknown }
      | undefined;
    if (result !== undefined) shown = textIn(result.content);
    const calls = result === undefined && tools.some(({ name }) => name === 'mcp__nacre__bash');
    const block = calls
      ? { type: 'tool_use', id: 'toolu_1', name: 'mcp__nacre__bash', input: {} }
      : { type: 'text', text: '' };
    const delta = calls
      ? { type: 'input_json_delta', partial_json: JSON.stringify(input) }
      : { type: 'text_delta', text: 'done' };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'fake',
      content: [],
      stop_reason: null,
      usage,
    };
    const stream = [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: calls ? 'tool_use' : 'end_turn' }, usage },
      { type: 'message_stop' },
    ];
    events(stream.map((data) => ({ event: data.type, data })));
  });
  return { url, shown: () => shown, offered: () => [...names] };
}

/** All text in an answer, however it is packed. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textIn).join('\n');
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(textIn).join('\n');
}
