import { answer, bashTools, chatTools, LOCAL_SHELL_TOOL, SHELL_TOOL } from 'nacre/openai';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { openBash } from '../helpers/open-bash.ts';

type Body = Readonly<Record<string, unknown>>;

/** Answers one request after the other with what the script says, and keeps the requests. */
function scriptClient(...answers: readonly Body[]) {
  const requests: Body[] = [];
  const client = new OpenAI({
    apiKey: 'none',
    baseURL: 'http://127.0.0.1:9/v1',
    fetch: async (_url, init) => {
      requests.push(JSON.parse(String(init?.body)));
      const body = JSON.stringify(answers[Math.min(requests.length, answers.length) - 1]);
      return new Response(body, { headers: { 'content-type': 'application/json' } });
    },
  });
  return { client, requests };
}

const response = (item: Body): Body => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [item],
});

describe('the Responses API', () => {
  const ask = async (item: Body) => {
    const { bash } = openBash();
    const { client, requests } = scriptClient(
      response(item),
      response({ type: 'message', role: 'assistant', content: [] }),
    );
    const tools = [...bashTools(bash), SHELL_TOOL, LOCAL_SHELL_TOOL];
    const first = await client.responses.create({ model: 'scripted', input: 'go', tools });
    const outputs = await Promise.all(first.output.map((each) => answer(bash, each)));
    const input = outputs.filter((output) => output !== null);
    await client.responses.create({ model: 'scripted', previous_response_id: first.id, input, tools });
    const [shown] = (requests[1]?.input ?? []) as Body[];
    return { shown, offered: requests[0]?.tools as Body[] };
  };
  const call = (input: unknown): Body => ({
    ...{ type: 'function_call', call_id: 'call_1', name: 'bash' },
    arguments: typeof input === 'string' ? input : JSON.stringify(input),
  });

  test('a strict function: every field is sent, and null is one not meant', async () => {
    const { shown, offered } = await ask(
      call({
        command: 'echo "$A"; exit 4',
        env: [{ name: 'A', value: '1' }],
        cwd: null,
        timeout: null,
        service: null,
      }),
    );
    expect(shown).toEqual({
      type: 'function_call_output',
      call_id: 'call_1',
      output: expect.stringMatching(/^1\n[\s\S]*Command exited with code 4$/),
    });
    expect(offered[0]).toMatchObject({ type: 'function', name: 'bash', strict: true });
    expect(looseObjects(offered[0]?.parameters)).toEqual([]);
    expect(looseObjects(offered[1]?.parameters)).toEqual([]);
  });

  test('arguments that are no JSON get an answer', async () => {
    expect((await ask(call('{"command": '))).shown).toMatchObject({
      output: expect.stringContaining('no JSON'),
    });
  });

  test('the shell tool: commands one after the other, streams apart', async () => {
    const action = { commands: ['echo out; echo err >&2', 'exit 3', 'kill -9 $$'], max_output_length: 4096 };
    const { shown, offered } = await ask({ type: 'shell_call', call_id: 'call_2', action });
    expect(shown).toEqual({
      type: 'shell_call_output',
      call_id: 'call_2',
      max_output_length: 4096,
      output: [
        { stdout: 'out\n', stderr: 'err\n', outcome: { type: 'exit', exit_code: 0 } },
        { stdout: '', stderr: '', outcome: { type: 'exit', exit_code: 3 } },
        { stdout: '', stderr: '', outcome: { type: 'exit', exit_code: 137 } },
      ],
    });
    expect(offered).toContainEqual({ type: 'shell', environment: { type: 'local' } });
  });

  test('the shell tool: a time limit, and a limit of what is shown', async () => {
    const action = { commands: ['echo partial; sleep 1000'], timeout_ms: 1_000, max_output_length: null };
    const { shown } = await ask({ type: 'shell_call', call_id: 'call_3', action });
    expect(shown).toMatchObject({ output: [{ stdout: 'partial\n', outcome: { type: 'timeout' } }] });
    const long = { commands: ['seq 1 100000'], max_output_length: 1_000 };
    const { output } = (await ask({ type: 'shell_call', call_id: 'call_4', action: long })).shown as {
      output: { stdout: string }[];
    };
    expect(output[0]?.stdout).toMatch(/^1\n2\n[\s\S]*587895|omitted[\s\S]*\n100000\n$/);
    expect(output[0]?.stdout.length).toBeLessThan(1_200);
  });

  test('the older local shell: words, not a line', async () => {
    const action = {
      type: 'exec',
      command: ['printf', '%s|', 'a b', "it's"],
      env: { LC_ALL: 'C' },
      working_directory: '/',
    };
    const { shown } = await ask({ type: 'local_shell_call', call_id: 'call_5', id: 'x', action });
    expect(shown).toMatchObject({ type: 'local_shell_call_output', id: 'call_5' });
    expect(JSON.parse(String(shown?.output))).toEqual({
      stdout: "a b|it's|",
      stderr: '',
      exit_code: 0,
      timed_out: false,
    });
  });

  test('other items and other functions are left alone', async () => {
    const { bash } = openBash();
    expect(await answer(bash, { type: 'message' })).toBeNull();
    expect(await answer(bash, { ...call({}), name: 'weather' } as never)).toBeNull();
  });
});

test('the Chat Completions API runs the tools', async () => {
  const { bash } = openBash();
  const message = (body: Body, finish_reason: string): Body => ({
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'scripted' },
    choices: [{ index: 0, finish_reason, message: { role: 'assistant', content: null, ...body } }],
  });
  const arguments_ = JSON.stringify({ command: 'echo hi', cwd: null });
  const { client, requests } = scriptClient(
    message(
      { tool_calls: [{ id: 'c1', type: 'function', function: { name: 'bash', arguments: arguments_ } }] },
      'tool_calls',
    ),
    message({ content: 'done' }, 'stop'),
  );
  const runner = client.chat.completions.runTools({
    model: 'scripted',
    messages: [{ role: 'user', content: 'go' }],
    tools: chatTools(bash),
  });
  expect(await runner.finalContent()).toBe('done');
  expect((requests[1]?.messages as Body[] | undefined)?.at(-1)).toEqual({
    role: 'tool',
    tool_call_id: 'c1',
    content: 'hi\n',
  });
});

/** Where a schema is not what structured outputs ask for: every object closed, every field required. */
function looseObjects(schema: unknown, path = '$'): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, properties, required, additionalProperties } = schema as Record<string, unknown>;
  const keys = Object.keys((properties ?? {}) as object);
  const loose =
    type === 'object' &&
    (additionalProperties !== false || JSON.stringify(required) !== JSON.stringify(keys));
  const inner = Object.entries(schema).flatMap(([key, value]) => looseObjects(value, `${path}.${key}`));
  return loose ? [path, ...inner] : inner;
}
