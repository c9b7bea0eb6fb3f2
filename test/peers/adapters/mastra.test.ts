import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { bashTool, jobTool } from 'nacre/mastra';
import { expect, test } from 'vitest';
import { scriptModel } from '../helpers/ai-model.ts';
import { openBash } from '../helpers/open-bash.ts';

test('an agent calls the tool, and the model is shown the text', async () => {
  const { bash } = openBash();
  const scripted = scriptModel('v2', {
    toolName: 'bash',
    input: { command: 'echo no; exit 3', cwd: null, env: null },
  });
  const agent = new Agent({
    ...{ id: 'a', name: 'a', instructions: 'go', model: scripted.model },
    tools: { bash: createTool(bashTool(bash)), job: createTool(jobTool(bash)) },
  });
  const { text } = await agent.generate('go', { maxSteps: 3 });
  expect(text).toBe('done');
  const shown = JSON.stringify(scripted.shown().at(-1));
  expect(shown).toContain('no\\n');
  expect(shown).toContain('Command exited with code 3');
  expect(shown).toContain('error-text');
  expect(scripted.offered().map(({ name }) => name)).toEqual(['bash', 'job']);
});

test('the signal ends the command, and updates are written', async () => {
  const { bash } = openBash();
  const controller = new AbortController();
  const custom = async (): Promise<void> => controller.abort();
  const made = createTool(bashTool(bash));
  const context = { abortSignal: controller.signal, writer: { custom } };
  await made.execute?.({ command: 'echo ready; sleep 1000' } as never, context as never).then(
    () => undefined,
    () => undefined,
  );
  await expect.poll(() => bash.log.read().at(-1), { timeout: 20_000 }).toMatchObject({ status: 'aborted' });
});
