import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import type { Bash } from '../../../src/tool/call/bash.ts';
import { createBash } from '../../../src/tool/call/bash.ts';
import { ToolAbortError } from '../../../src/tool/contract/result.ts';
import type { BashOptions } from '../../../src/tool/options/bash-options.ts';
import { textOf } from '../../helpers/fake-bash.ts';
import { findMarked } from '../../helpers/local.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const marker = randomUUID();

afterAll(async () => {
  await vi.waitFor(() => expect(findMarked(`NACRE_TEST_MARKER=${marker}`)).toEqual([]), { timeout: 20_000 });
});

function open(options: BashOptions = {}): { bash: Bash; root: string } {
  const root = realpathSync(temporaryDirectory());
  const env = { NACRE_TEST_MARKER: marker };
  const bash = createBash({ cwd: root, stateDirectory: join(root, 'state'), env, ...options });
  onTestFinished(() => bash.close());
  return { bash, root };
}

test('a command runs in bash, and its output and status come back', async () => {
  const { bash, root } = open();
  const result = await bash.call({ command: 'echo out; echo err >&2; pwd; exit 3' });
  expect(textOf(result)).toBe(`out\nerr\n${root}\n\nCommand exited with code 3`);
  expect(result).toMatchObject({
    isError: true,
    details: { exitCode: 3 },
    run: { status: 'exited', exitCode: 3 },
  });
});

test('an error of bash names line 1, and no file of ours', async () => {
  const { bash } = open();
  expect(textOf(await bash.call({ command: 'nosuchcommand' }))).toBe(
    'bash: line 1: nosuchcommand: command not found\n\nCommand exited with code 127',
  );
});

test('a leading cd is followed', async () => {
  const { bash } = open();
  expect(textOf(await bash.call({ command: 'cd / && pwd' }))).toBe('/\n');
});

test('standard input is what the call gives, or nothing', async () => {
  const { bash } = open();
  expect(textOf(await bash.call({ command: 'cat', stdin: 'typed' }))).toBe('typed');
  expect(textOf(await bash.call({ command: 'cat' }))).toBe('(no output)');
});

test('a time limit ends the whole tree and keeps what was printed', async () => {
  const { bash } = open();
  const result = await bash.call({ command: 'echo before; sleep 1000 & sleep 1000', timeout: 1 });
  expect(textOf(result)).toBe('before\n\nCommand timed out after 1 seconds');
  expect(result).toMatchObject({ isError: true, details: { timedOut: true }, run: { status: 'timed_out' } });
  expect(result.run).not.toHaveProperty('survivors');
});

test('an abort rejects with what was printed', async () => {
  const { bash } = open();
  const controller = new AbortController();
  const call = bash.call(
    { command: 'echo ready; sleep 1000' },
    { signal: controller.signal, onUpdate: () => controller.abort() },
  );
  const error = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ToolAbortError);
  expect((error as ToolAbortError).result.run).toMatchObject({
    status: 'aborted',
    output: { text: 'ready\n' },
  });
});

test('the second abort does not wait for a command that ignores the first', { timeout: 14_000 }, async () => {
  const { bash } = open({ graceMs: 15_000 });
  const [first, second] = [new AbortController(), new AbortController()];
  const call = bash.call(
    { command: `trap 'echo ignored' TERM; echo ready; while :; do sleep 0.05; done` },
    {
      signal: first.signal,
      killSignal: second.signal,
      onUpdate: (update) => {
        if (textOf(update).includes('ignored')) second.abort();
        else first.abort();
      },
    },
  );
  const error = await call.catch((reason: unknown) => reason);
  expect((error as ToolAbortError).result.run.status).toBe('aborted');
});

test('what is left behind is a job that can be found and ended', async () => {
  const { bash } = open();
  const { run, content } = await bash.call({ command: 'sleep 1000 & echo done' });
  expect(textOf({ content })).toContain('done\n');
  expect(run).toMatchObject({ status: 'exited', exitCode: 0, job: { state: 'running' } });
  expect(run.notes[0]).toMatch(/sleep/);
  expect(bash.jobs.list()).toMatchObject([{ id: run.runId, state: 'running' }]);
  const { survivors } = await bash.jobs.kill(run.runId ?? '', { escalate: true });
  expect(survivors).toEqual([]);
  await expect.poll(() => bash.jobs.list()).toMatchObject([{ state: 'completed', leftoverPids: [] }]);
});

test.each([
  ['agent', { command: 'echo hello; exit 1', async: true }],
  ['modes', { command: 'echo hello; exit 1', mode: 'background' }],
] as const)(
  'a job of %s writes to the file it names, which ends with how it ended',
  async (profile, input) => {
    const { bash } = open({ profile });
    const { run } = await bash.call(input);
    const file = run.job?.outputFile ?? '';
    await expect
      .poll(() => readFileSync(file, 'utf8'), { timeout: 30_000 })
      .toBe('hello\n\n\n[background process failed: exit status: 1]\n');
    expect(readFileSync(join(file, '../out'), 'utf8')).toBe('hello\n');
    await expect
      .poll(() => bash.jobs.find(run.runId ?? ''), { timeout: 30_000 })
      .toMatchObject({ state: 'failed', status: 'exited', exitCode: 1 });
  },
);

test('a job gets exactly the signal that is asked for', async () => {
  const { bash } = open();
  const { run } = await bash.call({
    command: `trap 'echo got-usr1; exit 0' USR1; echo ready; while :; do sleep 0.1; done`,
    async: true,
  });
  const file = run.job?.outputFile ?? '';
  await expect.poll(() => readFileSync(file, 'utf8'), { timeout: 30_000 }).toBe('ready\n');
  await bash.jobs.kill(run.runId ?? '', { signal: 'SIGUSR1' });
  await expect.poll(() => readFileSync(file, 'utf8'), { timeout: 30_000 }).toContain('got-usr1');
  await bash.jobs.kill(run.runId ?? '', { escalate: true });
});

test('live jobs are counted, those of earlier programs too', async () => {
  const session = 'shared';
  const root = realpathSync(temporaryDirectory());
  const options: BashOptions = {
    cwd: root,
    stateDirectory: join(root, 'state'),
    session,
    async: { maxJobs: 1 },
  };
  const first = open(options).bash;
  const started = await first.call({ command: 'sleep 1000', async: true });
  const second = open(options).bash;
  const refused = await second.call({ command: 'sleep 1000', async: true });
  expect(refused.error?.id).toBe('job_limit');
  expect(refused.error?.message).toContain(`${started.run.runId} (sleep 1000)`);
  const stranger = open({ ...options, session: 'other' }).bash;
  expect(() => stranger.jobs.find(started.run.runId ?? '')).toThrow('There is no job');
  await second.jobs.kill(started.run.runId ?? '', { escalate: true });
  await expect.poll(() => second.jobs.find(started.run.runId ?? '').state).toBe('failed');
  const again = await second.call({ command: 'true', async: true });
  expect(again.isError).toBe(false);
});

test('stages that failed in a pipeline are told, and the status stays that of bash', async () => {
  const { bash } = open();
  const { run } = await bash.call({ command: 'false | cat' });
  expect(run).toMatchObject({ exitCode: 0, pipeStatus: [1, 0] });
  expect((await bash.call({ command: 'yes | head -n 1' })).run).not.toHaveProperty('pipeStatus');
});

test('local:// is a folder of the session, made when it is needed', async () => {
  const { bash } = open();
  await bash.call({ command: 'echo kept > local://a/b.txt' });
  expect(textOf(await bash.call({ command: 'cat local://a/b.txt; pwd', cwd: 'local://a' }))).toMatch(
    /^kept\n.*\/a\n$/,
  );
});

test('simple keeps the streams apart and inherits the environment', async () => {
  const { bash } = open({ profile: 'simple', inheritedEnv: { PATH: process.env.PATH, MY_TOKEN: 'abc' } });
  const { details } = await bash.call({ command: 'echo "$MY_TOKEN"; echo err >&2; exit 4' });
  expect(details).toEqual({ stdout: 'abc\n', stderr: 'err\n', exitCode: 4 });
  expect((await bash.call({ command: 'nosuchcommand' })).details).toMatchObject({
    error: 'bash: line 1: nosuchcommand: command not found',
    exitCode: 127,
  });
});

test.each(['foreground', 'background'] as const)(
  'closing while a %s command starts ends it',
  async (kind) => {
    const own = randomUUID();
    const env = { NACRE_TEST_MARKER: marker, OWN: own };
    const { bash, root } = open({ readyShells: 0, jobsAtExit: 'stop', env });
    const input = { command: 'sleep 1000', ...(kind === 'background' ? { async: true } : {}) };
    const call = bash.call(input).catch((error: unknown) => error);
    // Made before the supervisor is started, which takes some milliseconds.
    const runs = join(root, 'state/runs');
    await vi.waitUntil(() => existsSync(runs) && readdirSync(runs).length > 0, {
      timeout: 30_000,
      interval: 0,
    });
    await bash.close();
    await call;
    await vi.waitFor(() => expect(findMarked(`OWN=${own}`)).toEqual([]), { timeout: 30_000 });
  },
);
