import { createBashTool } from 'bash-tool';
import { createSandbox } from 'nacre/bash-tool';
import { describe, expect, test } from 'vitest';
import { openBash } from '../helpers/open-bash.ts';

type Executable = { execute?: (input: never, options: never) => unknown };
const run = async (tool: Executable, input: object) =>
  (await tool.execute?.(input as never, {} as never)) as never;

describe.each(['agent', 'modes', 'simple'] as const)('in the profile %s', (profile) => {
  test('files are written, commands see them, files are read', async () => {
    const { bash, directory } = openBash({ profile });
    const { tools } = await createBashTool({
      sandbox: createSandbox(bash),
      destination: `${directory}/work place`,
      files: { 'src/a.txt': 'one\r\ntwo\n' },
    });
    expect(await run(tools.bash, { command: 'wc -c < src/a.txt; echo err >&2; exit 3' })).toEqual({
      stdout: '9\n',
      stderr: 'err\n',
      exitCode: 3,
    });
    expect(await run(tools.readFile, { path: 'src/a.txt' })).toEqual({ content: 'one\r\ntwo\n' });
    const content = `${'line ünd\n'.repeat(60_000)}end`;
    await run(tools.writeFile, { path: "deep/er/it's.txt", content });
    expect(await run(tools.readFile, { path: "deep/er/it's.txt" })).toEqual({ content });
    await expect(run(tools.readFile, { path: 'not-there' })).rejects.toThrow(/No such file/);
  });
});

test('the exit codes of what did not end by itself', async () => {
  const { bash } = openBash({ profile: 'agent', timeoutMs: 1_000 });
  const sandbox = createSandbox(bash);
  expect(await sandbox.executeCommand('kill -9 $$')).toMatchObject({ exitCode: 137 });
  expect(await sandbox.executeCommand('echo partial; sleep 1000')).toMatchObject({
    exitCode: 124,
    stdout: 'partial\n',
  });
  const refused = await sandbox.executeCommand('');
  expect(refused).toMatchObject({ exitCode: 126, stdout: '' });
  expect(refused.stderr).toContain('command');
});

test('a file that holds a secret is shown without it', async () => {
  const { bash, directory } = openBash({ secrets: { mask: ['hunter2hunter2'] } });
  const sandbox = createSandbox(bash);
  await sandbox.writeFiles([{ path: `${directory}/s`, content: 'key=hunter2hunter2\n' }]);
  expect(await sandbox.readFile(`${directory}/s`)).toBe('key=[redacted]\n');
});
