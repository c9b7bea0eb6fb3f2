import { Agent } from '@mariozechner/pi-agent-core';
import { type AssistantMessage, createAssistantMessageEventStream } from '@mariozechner/pi-ai';
import { bashTools } from 'nacre/pi';
import { expect, test } from 'vitest';
import { openBash } from '../helpers/open-bash.ts';

const USAGE = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** An agent whose model makes one call and then says `done`. */
function scriptAgent(args: unknown, options: Parameters<typeof openBash>[0] = {}) {
  const { bash } = openBash(options);
  let turns = 0;
  const agent = new Agent({
    initialState: {
      model: { id: 'scripted', api: 'x', provider: 'x' } as never,
      tools: bashTools(bash),
      systemPrompt: '',
    },
    streamFn: () => {
      turns += 1;
      const stream = createAssistantMessageEventStream();
      const content =
        turns === 1
          ? [
              {
                type: 'toolCall' as const,
                id: 'c1',
                name: 'bash',
                arguments: args as Record<string, unknown>,
              },
            ]
          : [{ type: 'text' as const, text: 'done' }];
      const message = {
        ...{ role: 'assistant' as const, content, api: 'x', provider: 'x', model: 'scripted', usage: USAGE },
        ...{ stopReason: turns === 1 ? ('toolUse' as const) : ('stop' as const), timestamp: 0 },
      } as AssistantMessage;
      queueMicrotask(() => {
        stream.push({ type: 'start', partial: message });
        stream.push({ type: 'done', reason: turns === 1 ? 'toolUse' : 'stop', message });
        stream.end(message);
      });
      return stream;
    },
  });
  const result = () =>
    agent.state.messages.find(({ role }) => role === 'toolResult') as never as {
      isError: boolean;
      content: { text: string }[];
      details: Record<string, unknown>;
    };
  return { agent, bash, result };
}

test('a result has text and details', async () => {
  const { agent, result } = scriptAgent({ command: 'echo hi', cwd: null, env: null, service: null });
  await agent.prompt('go');
  expect(result()).toMatchObject({
    isError: false,
    content: [{ type: 'text', text: 'hi\n' }],
    details: { timeoutSeconds: 300 },
  });
});

test('a failure is an error with its text', async () => {
  const { agent, result } = scriptAgent({ command: 'echo no; exit 3' });
  await agent.prompt('go');
  expect(result().isError).toBe(true);
  expect(result().content[0]?.text).toMatch(/^no\n[\s\S]*Command exited with code 3$/);
});

test('updates come while the command runs, and an abort ends it with what there was', async () => {
  const { agent, bash, result } = scriptAgent({ command: 'echo ready; sleep 1000' });
  const updates: string[] = [];
  agent.subscribe((event) => {
    if (event.type !== 'tool_execution_update') return;
    updates.push(event.partialResult.content[0].text);
    agent.abort();
  });
  await agent.prompt('go');
  expect(updates[0]).toBe('ready\n');
  expect(bash.log.read().at(-1)).toMatchObject({ status: 'aborted' });
  expect(result()?.content[0]?.text).toContain('ready');
});
