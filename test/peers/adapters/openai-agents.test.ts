import {
  Agent,
  type Model,
  type ModelRequest,
  type ModelResponse,
  Runner,
  shellTool,
  tool,
} from '@openai/agents';
import { bashTool, jobTool, shell } from 'nacre/openai-agents';
import { expect, test } from 'vitest';
import { openBash } from '../helpers/open-bash.ts';

/** A model that makes one call and then says `done`. */
function scriptModel(call: unknown): { model: Model; requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const answer = (item: unknown): ModelResponse =>
    ({ usage: { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 }, output: [item] }) as never;
  const done = {
    ...{ type: 'message', role: 'assistant', status: 'completed' },
    content: [{ type: 'output_text', text: 'done' }],
  };
  const getResponse = async (request: ModelRequest): Promise<ModelResponse> => {
    requests.push(structuredClone({ ...request, signal: undefined }) as ModelRequest);
    return answer(requests.length === 1 ? call : done);
  };
  return { model: { getResponse } as unknown as Model, requests };
}

const RUNNER = new Runner({ tracingDisabled: true });

const functionCall = (name: string, input: unknown) => ({
  ...{ type: 'function_call', callId: 'call_1', name, status: 'completed' },
  arguments: JSON.stringify(input),
});

test('functions: the model is shown the text, also of a failure', async () => {
  const { bash } = openBash();
  const { model, requests } = scriptModel(
    functionCall('bash', { command: 'echo no; exit 3', cwd: null, env: null }),
  );
  const agent = new Agent({ name: 'a', model, tools: [tool(bashTool(bash)), tool(jobTool(bash))] });
  const { finalOutput } = await RUNNER.run(agent, 'go');
  expect(finalOutput).toBe('done');
  expect(requests[0]?.tools).toMatchObject([
    { name: 'bash', strict: true },
    { name: 'job', strict: true },
  ]);
  const last = (requests[1]?.input as { output: { text: string } }[] | undefined)?.at(-1);
  expect(last?.output.text).toMatch(/^no\n[\s\S]*Command exited with code 3$/);
});

test('functions: an abort ends the command', async () => {
  const { bash } = openBash();
  const controller = new AbortController();
  const { model } = scriptModel(functionCall('bash', { command: 'echo ready; sleep 1000' }));
  const agent = new Agent({ name: 'a', model, tools: [tool(bashTool(bash))] });
  const ended = RUNNER.run(agent, 'go', { signal: controller.signal }).catch(() => undefined);
  await expect.poll(() => bash.log.read().length, { timeout: 20_000 }).toBeGreaterThan(0);
  controller.abort();
  await ended;
  await expect.poll(() => bash.log.read().at(-1), { timeout: 20_000 }).toMatchObject({ status: 'aborted' });
});

test('the shell tool', async () => {
  const { bash } = openBash();
  const action = {
    commands: ['echo out; echo err >&2; exit 2', 'sleep 1000'],
    timeoutMs: 1_000,
    maxOutputLength: 500,
  };
  const { model, requests } = scriptModel({
    type: 'shell_call',
    callId: 'call_2',
    status: 'completed',
    action,
  });
  const agent = new Agent({ name: 'a', model, tools: [shellTool({ shell: shell(bash) })] });
  await RUNNER.run(agent, 'go');
  expect((requests[1]?.input as unknown[] | undefined)?.at(-1)).toMatchObject({
    type: 'shell_call_output',
    output: [
      { stdout: 'out\n', stderr: 'err\n', outcome: { type: 'exit', exitCode: 2 } },
      { outcome: { type: 'timeout' } },
    ],
  });
});
