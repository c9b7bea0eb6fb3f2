import { expect, test } from 'vitest';
import { type BashOptions, createBash } from '../../../../src/index.ts';
import { bashTools as aiTools } from '../../../../src/surfaces/adapters/ai-sdk.ts';
import {
  answer,
  bashTools as anthropicTools,
  bashTool,
} from '../../../../src/surfaces/adapters/anthropic.ts';
import { createSandbox } from '../../../../src/surfaces/adapters/bash-tool.ts';
import {
  jobTool as langChainJob,
  bashTool as langChainTool,
} from '../../../../src/surfaces/adapters/langchain.ts';
import { bashTool as mastraTool } from '../../../../src/surfaces/adapters/mastra.ts';
import { answer as answerItem, bashTools as openAiTools } from '../../../../src/surfaces/adapters/openai.ts';
import { bashTool as agentsTool, shell } from '../../../../src/surfaces/adapters/openai-agents.ts';
import { bashTools as piTools } from '../../../../src/surfaces/adapters/pi.ts';
import { createFakeHost } from '../../../helpers/fake-host.ts';
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts';

/** A tool whose every command prints `out` and exits with 3. */
function failing(options: BashOptions = {}) {
  const directory = temporaryDirectory();
  const host = createFakeHost({
    directory,
    behave: (run) => {
      run.print('out\n');
      run.end({ ending: { kind: 'exited', exitCode: 3 } });
    },
  });
  const storage = { maxRunBytes: 0 };
  return createBash({ cwd: directory, stateDirectory: directory, host, storage, ...options });
}

const INPUT = { command: 'x' };
const TEXT = /^out\n[\s\S]*Command exited with code 3$/;

test('every form shows the model the same text of a command that failed, in its own way', async () => {
  const bash = failing();
  const yielded = [];
  for await (const output of aiTools(bash).bash.execute(INPUT, {})) yielded.push(output);
  const last = yielded.at(-1);
  expect(aiTools(bash).bash.toModelOutput({ output: last })).toMatchObject({
    type: 'error-text',
    value: expect.stringMatching(TEXT),
  });
  expect(aiTools(bash).bash.toModelOutput(last)).toMatchObject({ type: 'error-text' });
  await expect(bashTool(bash).run(INPUT)).rejects.toThrow(TEXT);
  await expect(anthropicTools(bash)[0]?.run(INPUT)).rejects.toThrow(TEXT);
  expect(await answer(bash, { id: '1', name: 'bash', input: INPUT })).toMatchObject({
    is_error: true,
    content: expect.stringMatching(TEXT),
  });
  const call = { type: 'function_call', call_id: 'c', name: 'bash', arguments: '{"command":"x"}' };
  expect(await answerItem(bash, call)).toMatchObject({ output: expect.stringMatching(TEXT) });
  expect(await agentsTool(bash).execute(INPUT)).toMatch(TEXT);
  expect((await langChainTool(bash)[0](INPUT))[0]).toMatch(TEXT);
  expect(await mastraTool(bash).execute(INPUT)).toMatchObject({
    isError: true,
    text: expect.stringMatching(TEXT),
  });
  await expect(piTools(bash)[0]?.execute('1', INPUT)).rejects.toThrow(TEXT);
});

test('forms with two streams wait to the end and give the exit code', async () => {
  const bash = failing();
  expect(await createSandbox(bash).executeCommand('x')).toEqual({ stdout: 'out\n', stderr: '', exitCode: 3 });
  const { output } = await shell(bash).run({ commands: ['x', 'x'] });
  expect(output.map(({ outcome }) => outcome)).toEqual(Array(2).fill({ type: 'exit', exitCode: 3 }));
  expect(bash.log.read()).toHaveLength(3);
});

test('where there are no jobs, nobody is offered a tool for them', () => {
  const bash = failing({ async: { enabled: false } });
  expect(Object.keys(aiTools(bash))).toEqual(['bash']);
  expect([anthropicTools(bash), openAiTools(bash), piTools(bash)].map((tools) => tools.length)).toEqual([
    1, 1, 1,
  ]);
  expect(() => langChainJob(bash)).toThrow('Async bash execution is disabled');
});

test('a user that commands cannot be run as is said, and nothing runs', async () => {
  const bash = failing();
  const item = { type: 'local_shell_call', call_id: 'c', action: { command: ['id'], user: 'root' } };
  expect(await answerItem(bash, item)).toMatchObject({ output: expect.stringContaining('as the user root') });
  expect(bash.log.read()).toEqual([]);
});

test('a shell that was restarted takes no command with it', async () => {
  const bash = failing();
  expect(await bashTool(bash).run({ restart: true })).toBe('The shell was restarted.');
  await expect(bashTool(bash).run({ restart: false, command: 'x' })).rejects.toThrow(TEXT);
  await expect(bashTool(bash).run({})).rejects.toThrow('command: is required');
});
