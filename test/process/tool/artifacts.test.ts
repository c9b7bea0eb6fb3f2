import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Bash } from '../../../src/tool/call/bash.ts';
import { createBash } from '../../../src/tool/call/bash.ts';
import { openArtifacts } from '../../../src/tool/jobs/artifacts.ts';
import type { BashOptions } from '../../../src/tool/options/bash-options.ts';
import { textOf } from '../../helpers/fake-bash.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

/** Opens several instances on one state directory. */
function bench(): { stateDirectory: string; open: (options?: BashOptions) => Bash } {
  const root = realpathSync(temporaryDirectory());
  const stateDirectory = join(root, 'state');
  const open = (options: BashOptions = {}): Bash => {
    const bash = createBash({ cwd: root, stateDirectory, ...options });
    onTestFinished(() => bash.close());
    return bash;
  };
  return { stateDirectory, open };
}

test('an artifact is read by lines, from its ends, and by search', async () => {
  const bash = bench().open();
  const { run } = await bash.call({ command: 'seq 1000' });
  const artifact = bash.artifacts.open(run.artifact ?? '');
  expect((await artifact.lines({ from: 500, to: 501 })).text).toBe('500\n501\n');
  expect((await artifact.head(1)).text).toBe('1\n');
  expect((await artifact.tail(1)).text).toBe('1000\n');
  expect(artifact.totalBytes).toBe(3893);
});

test('an artifact is a path inside a command', async () => {
  const bash = bench().open();
  const { run } = await bash.call({ command: 'printf "a\\033[1mb\\n"' });
  expect(textOf(await bash.call({ command: `od -c ${run.artifact} | head -n 1` }))).toContain('033');
  expect(textOf(await bash.call({ command: `echo "$(cat ${run.artifact})"` }))).toBe('ab\n');
  const silent = await bash.call({ command: 'true' });
  expect(textOf(await bash.call({ command: `wc -c < ${silent.run.artifact}` }))).toBe('0\n');
});

test('stderr that was kept apart has a name of its own', async () => {
  const bash = bench().open({ profile: 'simple' });
  const { run } = await bash.call({ command: 'echo out; echo err >&2' });
  expect((await bash.artifacts.open(`${run.artifact}/err`).head(9)).text).toBe('err\n');
  expect((await bash.call({ command: `cat ${run.artifact}/err` })).details).toMatchObject({
    stdout: 'err\n',
  });
});

test('another session cannot read it by guessing, neither here nor inside a command', async () => {
  const { open } = bench();
  const { run } = await open({ session: 'mine' }).call({ command: 'echo private' });
  const stranger = open({ session: 'other' });
  expect(() => stranger.artifacts.open(run.artifact ?? '')).toThrow('There is no artifact');
  const refused = await stranger.call({ command: `cat ${run.artifact}` });
  expect(refused.error?.id).toBe('url_unresolved');
  expect(stranger.artifacts.list()).toEqual([]);
  const again = open({ session: 'mine' });
  expect(textOf(await again.call({ command: `cat ${run.artifact}` }))).toBe('private\n');
});

test.each(['', 'nonsense', '../../etc/passwd', 'artifact://../x', 'aaaaaaaaaaaaaa/out'])(
  '%j is no artifact',
  (name) => {
    expect(() => bench().open().artifacts.open(name)).toThrow('There is no artifact');
  },
);

test('what is there can be listed and forgotten, but not while it runs', async () => {
  const { open, stateDirectory } = bench();
  const bash = open({ session: 'mine' });
  const done = await bash.call({ command: 'echo hello; exit 2' });
  const job = await bash.call({ command: 'sleep 1000', async: true });
  expect(bash.artifacts.list()).toMatchObject([
    { id: job.run.runId, status: 'running', session: 'mine' },
    {
      id: done.run.runId,
      status: 'exited',
      exitCode: 2,
      outBytes: 6,
      errBytes: 0,
      label: 'echo hello; exit 2',
    },
  ]);
  expect(bash.artifacts.remove(job.run.runId ?? '')).toBe(false);
  expect(bash.artifacts.remove(done.run.runId ?? '')).toBe(true);
  expect(() => bash.artifacts.open(done.run.runId ?? '')).toThrow('There is no artifact');
  await bash.jobs.kill(job.run.runId ?? '', { escalate: true });
  await expect.poll(() => bash.jobs.find(job.run.runId ?? '').state, { timeout: 10_000 }).toBe('failed');
  const all = openArtifacts({ stateDirectory, session: null });
  expect(await all.sweep({ maxAgeMs: 0, maxTotalBytes: 0 })).toMatchObject({ removed: 1, kept: 0 });
  expect(all.list()).toEqual([]);
});

test('secrets are masked in what is read as text', async () => {
  const bash = bench().open({ secrets: { mask: ['hunter2-hunter2'] } });
  const { run } = await bash.call({ command: 'printf "hunter2-%s\\n" hunter2' });
  expect((await bash.artifacts.open(run.artifact ?? '').head(1)).text).toBe('[redacted]\n');
});
