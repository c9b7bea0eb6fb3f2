import { tool } from '@langchain/core/tools';
import { bashTool, jobTool } from 'nacre/langchain';
import { expect, test } from 'vitest';
import { openBash } from '../helpers/open-bash.ts';

const call = (args: Record<string, unknown>) => ({
  type: 'tool_call' as const,
  id: 'c1',
  name: 'bash',
  args,
});

test('a tool message has the text for the model and the result for the program', async () => {
  const { bash } = openBash();
  const message = await tool(...bashTool(bash)).invoke(call({ command: 'echo no; exit 3' }));
  expect(message.content).toMatch(/^no\n[\s\S]*Command exited with code 3$/);
  expect(message).toMatchObject({ tool_call_id: 'c1', artifact: { isError: true, run: { exitCode: 3 } } });
});

test('every field may be null; what does not fit is named', async () => {
  const { bash } = openBash();
  const made = tool(...bashTool(bash));
  expect(
    (await made.invoke(call({ command: 'echo x', cwd: null, env: null, stdin: null, service: null })))
      .content,
  ).toBe('x\n');
  await expect(made.invoke(call({ comand: 'x' }))).rejects.toThrow(/schema/);
});

test('updates go to the writer of the graph, and its signal ends the command', async () => {
  const { bash } = openBash();
  const controller = new AbortController();
  const written: unknown[] = [];
  const writer = (chunk: unknown): void => {
    written.push(chunk);
    controller.abort();
  };
  const config = { signal: controller.signal, writer } as object;
  await expect(
    tool(...bashTool(bash)).invoke(call({ command: 'echo ready; sleep 1000' }), config),
  ).rejects.toThrow();
  expect(written[0]).toEqual({ tool: 'bash', text: 'ready\n' });
  await expect.poll(() => bash.log.read().at(-1), { timeout: 20_000 }).toMatchObject({ status: 'aborted' });
});

test('the job tool', async () => {
  const { bash } = openBash();
  const made = tool(...jobTool(bash));
  expect((await made.invoke({ ...call({ action: 'list' }), name: 'job' })).content).toMatch(/no jobs/i);
  expect(() => jobTool(openBash({ async: { enabled: false } }).bash)).toThrow(/disabled/);
});
