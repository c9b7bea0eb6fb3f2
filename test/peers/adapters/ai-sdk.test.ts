import * as ai5 from 'ai5';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { bashTools } from 'nacre/ai-sdk';
import { describe, expect, test } from 'vitest';
import { scriptModel } from '../helpers/ai-model.ts';
import { openBash } from '../helpers/open-bash.ts';

// The types differ from version to version, the calls do not; test/peers/types.ts holds the types.
const VERSIONS = [
  { name: 'ai 5', sdk: ai5, spec: 'v2' as const },
  { name: 'ai 6', sdk: ai6 as unknown as typeof ai5, spec: 'v3' as const },
  { name: 'ai 7', sdk: ai7 as unknown as typeof ai5, spec: 'v4' as const },
];

interface ToolMessage {
  readonly content: readonly [{ readonly output: { readonly type: string; readonly value: string } }];
}

describe.each(VERSIONS)('$name', ({ sdk, spec }) => {
  const ask = async (toolName: string, input: unknown, profile: 'agent' | 'modes' = 'agent') => {
    const { bash } = openBash({ profile });
    const scripted = scriptModel(spec, { toolName, input });
    const { text, steps } = await sdk.generateText({
      model: scripted.model,
      tools: bashTools(bash),
      prompt: 'go',
      stopWhen: sdk.stepCountIs(3),
    });
    const last = scripted.shown().at(-1) as unknown as ToolMessage;
    return { text, steps, offered: scripted.offered(), output: last.content[0].output };
  };

  test('the model is shown the text of the result', async () => {
    const { text, output, offered } = await ask('bash', { command: 'echo out; echo err >&2' });
    expect(text).toBe('done');
    expect(output).toEqual({ type: 'text', value: 'out\nerr\n' });
    expect(offered.map(({ name }) => name)).toEqual(['bash', 'job']);
    expect(offered[0]?.inputSchema).toMatchObject({ type: 'object', required: ['command'] });
  });

  test('a command that fails is an error to the model, and a result to the program', async () => {
    const { output, steps } = await ask('bash', { command: 'echo no; exit 3' });
    expect(output.type).toBe('error-text');
    expect(output.value).toMatch(/^no\n[\s\S]*Command exited with code 3$/);
    const [result] = steps[0]?.toolResults ?? [];
    expect(result?.output).toMatchObject({ isError: true, run: { status: 'exited', exitCode: 3 } });
  });

  test('every field may be null', async () => {
    const nulls = {
      cwd: null,
      env: null,
      timeout: null,
      wait: null,
      head: null,
      tail: null,
      stdin: null,
      async: null,
    };
    expect((await ask('bash', { command: 'echo x', ...nulls })).output.value).toBe('x\n');
  });

  test('bad input is an answer that names the field', async () => {
    const { output } = await ask('bash', { comand: 'ls' });
    expect(output).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining("Did you mean 'command'?"),
    });
  });

  test('the job tool is there', async () => {
    expect((await ask('job', { action: 'list' })).output.type).toBe('text');
  });

  test('what is printed so far comes as preliminary results', async () => {
    const { bash, directory } = openBash();
    const scripted = scriptModel(spec, {
      toolName: 'bash',
      input: { command: 'echo ready; until [ -e go ]; do sleep 0.02; done; echo end' },
    });
    const stream = sdk.streamText({
      model: scripted.model,
      tools: bashTools(bash),
      prompt: 'go',
      stopWhen: sdk.stepCountIs(3),
    });
    const seen: { preliminary: boolean; text: string }[] = [];
    for await (const part of stream.fullStream) {
      if (part.type !== 'tool-result') continue;
      const { text, preliminary } = part.output as { text: string; preliminary: boolean };
      seen.push({ text, preliminary });
      if (text === 'ready\n') await bash.call({ command: 'touch go', cwd: directory });
    }
    expect(seen[0]).toEqual({ text: 'ready\n', preliminary: true });
    expect(seen.at(-1)).toEqual({ text: 'ready\nend\n', preliminary: false });
    expect((scripted.shown().at(-1) as unknown as ToolMessage).content[0].output.value).toBe('ready\nend\n');
  });

  test('aborting ends the command', async () => {
    const { bash } = openBash();
    const controller = new AbortController();
    const scripted = scriptModel(spec, { toolName: 'bash', input: { command: 'echo ready; sleep 1000' } });
    const stream = sdk.streamText({
      model: scripted.model,
      tools: bashTools(bash),
      prompt: 'go',
      abortSignal: controller.signal,
      onError: () => undefined,
    });
    for await (const part of stream.fullStream) if (part.type === 'tool-result') controller.abort();
    await expect.poll(() => bash.log.read().at(-1), { timeout: 20_000 }).toMatchObject({ status: 'aborted' });
  });
});
