import Anthropic from '@anthropic-ai/sdk';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import { type AnthropicOptions, answer, bashTool, bashTools } from 'nacre/anthropic';
import { describe, expect, test } from 'vitest';
import { openBash } from '../helpers/open-bash.ts';

interface Request {
  readonly tools: readonly {
    readonly name: string;
    readonly input_schema?: unknown;
    readonly type?: string;
  }[];
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** A model that calls one tool and then says `done`; it keeps what it was sent. */
function scriptClient(use: { readonly name: string; readonly input: unknown }) {
  const requests: Request[] = [];
  const client = new Anthropic({
    apiKey: 'none',
    baseURL: 'http://127.0.0.1:9',
    fetch: async (_url, init) => {
      requests.push(JSON.parse(String(init?.body)));
      const first = requests.length === 1;
      const content = first
        ? [{ type: 'tool_use', id: 'toolu_1', ...use }]
        : [{ type: 'text', text: 'done' }];
      const message = {
        ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', content },
        stop_reason: first ? 'tool_use' : 'end_turn',
        usage: { input_tokens: 1, output_tokens: 1 },
      };
      return new Response(JSON.stringify(message), { headers: { 'content-type': 'application/json' } });
    },
  });
  return { client, requests };
}

const ASK = { model: 'scripted', max_tokens: 100, messages: [{ role: 'user' as const, content: 'go' }] };

describe('the tool runner', () => {
  const run = async (
    use: { name: string; input: unknown },
    options: AnthropicOptions = {},
    trained = false,
  ) => {
    const { bash } = openBash();
    const { client, requests } = scriptClient(use);
    const tools = trained ? [bashTool(bash, options)] : bashTools(bash, options);
    await client.beta.messages.toolRunner({ ...ASK, tools });
    const [block] = (requests[1]?.messages.at(-1)?.content ?? []) as {
      content: unknown;
      is_error?: boolean;
    }[];
    return { block, sent: requests[0]?.tools };
  };

  test('sends the custom tools and shows the model the result', async () => {
    const { block, sent } = await run({ name: 'bash', input: { command: 'echo hi' } });
    expect(block).toMatchObject({ type: 'tool_result', tool_use_id: 'toolu_1', content: 'hi\n' });
    expect(block?.is_error ?? false).toBe(false);
    expect(sent).toMatchObject([{ name: 'bash', input_schema: { required: ['command'] } }, { name: 'job' }]);
    expect(sent?.[0]).not.toHaveProperty('run');
  });

  test('sends the tool that Claude was trained on', async () => {
    const { block, sent } = await run({ name: 'bash', input: { command: 'echo hi' } }, {}, true);
    expect(sent).toEqual([{ type: 'bash_20250124', name: 'bash' }]);
    expect(block).toMatchObject({ content: 'hi\n' });
  });

  test('takes a restart of that tool', async () => {
    const { block } = await run({ name: 'bash', input: { restart: true } }, {}, true);
    expect(block).toMatchObject({ content: 'The shell was restarted.' });
  });

  test('shows a failure word for word with the ToolError of the SDK, and marks it', async () => {
    const { block } = await run({ name: 'bash', input: { command: 'exit 3' } }, { ToolError });
    expect(block).toMatchObject({
      is_error: true,
      content: expect.stringMatching(/Command exited with code 3$/),
    });
    expect(String(block?.content)).not.toContain('Error: ');
  });

  test('marks it without, too', async () => {
    const { block } = await run({ name: 'bash', input: { command: 'exit 3' } });
    expect(block).toMatchObject({
      is_error: true,
      content: expect.stringContaining('Command exited with code 3'),
    });
  });

  test('a strict schema takes null for every field and variables as pairs', async () => {
    const env = [{ name: 'WORD', value: 'a b' }];
    const input = {
      command: 'echo "$WORD"',
      cwd: null,
      timeout: null,
      wait: null,
      head: null,
      tail: null,
      env,
    };
    const { block, sent } = await run({ name: 'bash', input }, { strict: true });
    expect(block).toMatchObject({ content: 'a b\n' });
    expect(sent?.[0]).toMatchObject({ strict: true, input_schema: { additionalProperties: false } });
  });

  test('an abort ends the command', async () => {
    const { bash } = openBash();
    const controller = new AbortController();
    const { client } = scriptClient({ name: 'bash', input: { command: 'echo ready; sleep 1000' } });
    const runner = client.beta.messages.toolRunner(
      { ...ASK, tools: bashTools(bash) },
      { signal: controller.signal },
    );
    const ended = Promise.resolve(runner.runUntilDone()).catch((error: unknown) => error);
    await expect.poll(() => bash.log.read().length, { timeout: 20_000 }).toBeGreaterThan(0);
    controller.abort();
    await ended;
    await expect.poll(() => bash.log.read().at(-1), { timeout: 20_000 }).toMatchObject({ status: 'aborted' });
  });
});

test('a loop of your own answers blocks', async () => {
  const { bash } = openBash();
  const block = { id: 'toolu_9', name: 'bash', input: { command: 'exit 1' } };
  expect(await answer(bash, block)).toMatchObject({
    type: 'tool_result',
    tool_use_id: 'toolu_9',
    is_error: true,
  });
  expect(await answer(bash, { ...block, input: { restart: true, command: null } })).toMatchObject({
    is_error: false,
  });
  expect(await answer(bash, { ...block, name: 'other' })).toMatchObject({ is_error: true });
});
