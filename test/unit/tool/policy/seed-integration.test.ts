import { expect, onTestFinished, test } from 'vitest';
import { type Bash, type BashOptions, createBash, type Host } from '../../../../src/index.ts';
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts';

/** Opens an instance that runs nothing: commands that pass the checks are only recorded. */
function open(): { bash: Bash; started: string[] } {
  const started: string[] = [];
  const host: Host = {
    name: 'nowhere',
    start: async ({ command }) => {
      started.push(command);
      throw new Error('nothing runs here');
    },
    close: async () => undefined,
  } as Host;
  const options: BashOptions = { profile: 'modes', stateDirectory: temporaryDirectory(), host };
  const bash = createBash(options);
  onTestFinished(() => bash.close());
  return { bash, started };
}

async function refused(command: string): Promise<string> {
  const { bash, started } = open();
  const { error, content } = await bash.call({ command });
  expect([error?.id, started]).toEqual(['blocked_by_policy', []]);
  return content[0]?.text ?? '';
}

test('test_blocked_git_add', async () => {
  expect(await refused('git add -A')).toMatch(
    /^permission denied: blind git add commands \(git add -A, git add \./,
  );
});

test('test_blocked_rm_rf_root', async () => {
  expect(await refused('rm -rf /')).toMatch(/^permission denied: this rm command could delete critical data/);
});

test('test_blocked_git_push_force', async () => {
  expect(await refused('git push --force')).toMatch(
    /^permission denied: git push --force is not allowed\. Use/,
  );
});

test('test_allowed_command_runs', async () => {
  const { bash, started } = open();
  await bash.call({ command: 'echo hello' }).catch(() => undefined);
  expect(started).toEqual(['echo hello']);
});
