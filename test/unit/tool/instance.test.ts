import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createInstance } from '../../../src/tool/call/instance.ts';
import { performCall } from '../../../src/tool/call/perform-call.ts';
import type { CallResult } from '../../../src/tool/contract/result.ts';
import { ToolAbortError } from '../../../src/tool/contract/result.ts';
import { resolveOptions } from '../../../src/tool/options/resolve-options.ts';
import { setUpFake, textOf } from '../../helpers/fake-bash.ts';

const EXIT_1 = { kind: 'exited', exitCode: 1 } as const;

describe('hooks', () => {
  test('before may change the input, which is checked again', async () => {
    const { bash, host } = setUpFake({ hooks: { before: (input) => ({ input: { ...input, timeout: 7 } }) } });
    await bash.call({ command: 'ls' });
    expect(host.runs[0]?.request).toMatchObject({ command: 'ls', timeoutMs: 7_000 });
    const wrong = setUpFake({ hooks: { before: () => ({ input: { comand: 'ls' } }) } });
    expect((await wrong.bash.call({ command: 'ls' })).error?.id).toBe('bad_input');
  });

  test('before may refuse, and what it says is what the model reads', async () => {
    const { bash, host } = setUpFake({ hooks: { before: async () => ({ refuse: 'Not today.' }) } });
    const result = await bash.call({ command: 'ls' });
    expect(result.error).toEqual({ id: 'blocked_by_policy', message: 'Not today.' });
    expect(host.runs).toEqual([]);
  });

  test('a hook that throws refuses the call', async () => {
    const before = () => {
      throw new Error('a bug');
    };
    const { bash, host } = setUpFake({ hooks: { before } });
    expect((await bash.call({ command: 'ls' })).error).toEqual({
      id: 'hook_failed',
      message: 'The hook before the run failed, so nothing was run: a bug',
    });
    expect(host.runs).toEqual([]);
  });

  test('a hook that changes the object it was shown changes nothing', async () => {
    const before = (input: object) => {
      Object.assign(input, { command: 'something else' });
      return undefined;
    };
    const { bash, host } = setUpFake({ hooks: { before } });
    await bash.call({ command: 'ls' });
    expect(host.runs[0]?.request.command).toBe('ls');
  });

  test('after sees every result, also of what was refused or aborted', async () => {
    const seen: string[] = [];
    const after = ({ result }: { result: CallResult }) => void seen.push(result.run.status);
    const { bash } = setUpFake({ hooks: { after } });
    await bash.call({ command: 'ls' });
    await bash.call({});
    await bash.call({ command: 'ls' }, { signal: AbortSignal.abort() }).catch(() => undefined);
    expect(seen).toEqual(['exited', 'refused', 'aborted']);
  });

  test('after that throws leaves the result as it is, with a note', async () => {
    const after = () => Promise.reject(new Error('a bug'));
    const { bash } = setUpFake({ hooks: { after } });
    const { isError, run } = await bash.call({ command: 'ls' });
    expect(isError).toBe(false);
    expect(run.notes).toEqual(['The hook after the run failed: a bug']);
  });
});

describe('secrets', () => {
  const inheritedEnv = { PATH: '/bin', GITHUB_TOKEN: 'ghp_0123456789abcdefghijABCDEFGHIJ012345' };

  test('they are not passed on, and a command that mentions one and fails is told', async () => {
    const { bash, host } = setUpFake({ inheritedEnv, behave: (run) => run.end({ ending: EXIT_1 }) });
    const { run } = await bash.call({ command: 'curl -H "auth: $GITHUB_TOKEN"' });
    expect(host.runs[0]?.request.env).not.toHaveProperty('GITHUB_TOKEN');
    expect(run.notes).toEqual([
      'Not passed to the command: GITHUB_TOKEN (it looks like a secret; the user can grant this with secrets.grants).',
    ]);
    expect((await bash.call({ command: 'false' })).run.notes).toEqual([]);
  });

  test('a command that succeeds is told nothing', async () => {
    const { bash } = setUpFake({ inheritedEnv });
    expect((await bash.call({ command: 'echo $GITHUB_TOKEN' })).run.notes).toEqual([]);
  });

  test('a grant passes one on; simple passes all', async () => {
    const granted = setUpFake({ inheritedEnv, secrets: { grants: ['GITHUB_TOKEN'] } });
    await granted.bash.call({ command: 'ls' });
    expect(granted.host.runs[0]?.request.env).toHaveProperty('GITHUB_TOKEN');
    const simple = setUpFake({ inheritedEnv, profile: 'simple' });
    await simple.bash.call({ command: 'ls' });
    expect(simple.host.runs[0]?.request.env).toHaveProperty('GITHUB_TOKEN');
  });

  test('in simple what was named is withheld all the same', async () => {
    const { bash, host } = setUpFake({ inheritedEnv, profile: 'simple', secrets: { deny: ['GITHUB_*'] } });
    await bash.call({ command: 'ls' });
    expect(host.runs[0]?.request.env).not.toHaveProperty('GITHUB_TOKEN');
    expect(host.runs[0]?.request.env).toHaveProperty('PATH');
  });

  test('no value of one is in the log or in the record of the run', async () => {
    const { bash, host, root } = setUpFake({ inheritedEnv, secrets: { mask: ['hunter2-hunter2'] } });
    const value = inheritedEnv.GITHUB_TOKEN;
    await bash.call({ command: `echo ${value} hunter2-hunter2` });
    await bash.call({ command: `echo ${value}`, cwd: 'missing' });
    const log = readFileSync(join(root, 'state/log/current.jsonl'), 'utf8');
    const asked = JSON.stringify(host.runs[0]?.request.asked);
    for (const text of [log, asked]) {
      expect(text).not.toContain(value);
      expect(text).not.toContain('hunter2-hunter2');
    }
    expect(host.runs[0]?.request.command).toContain(value);
  });
});

describe('the log', () => {
  test('has every command, what was refused included, and never the output', async () => {
    const { bash, root } = setUpFake({
      behave: (run) => {
        run.print('SHOWN');
        run.end({ ending: { kind: 'exited', exitCode: 3 } });
      },
    });
    await bash.call({ command: 'make' });
    await bash.call({ command: 'ls', cwd: 'missing' });
    await bash.call({ nonsense: 1 });
    expect(bash.log.read()).toMatchObject([
      {
        command: 'make',
        verdict: 'allow',
        status: 'exited',
        exitCode: 3,
        outputBytes: 5,
        durationMs: 5,
        host: 'fake',
      },
      { command: 'ls', verdict: 'invalid', status: 'refused', error: 'cwd_missing', runId: null },
      { command: null, verdict: 'invalid', error: 'bad_input' },
    ]);
    expect(readFileSync(join(root, 'state/log/current.jsonl'), 'utf8')).not.toContain('SHOWN');
  });

  test('that cannot be written stops nothing, and the result says so', async () => {
    const { bash } = setUpFake({ stateDirectory: '/dev/null/state' });
    const { isError, run } = await bash.call({ command: 'ls' });
    expect(isError).toBe(false);
    expect(run.notes[0]).toMatch(/^The command could not be written to the log: ENOTDIR/);
  });
});

describe('the life of an instance', () => {
  test('closed, it takes no more calls', async () => {
    const { bash } = setUpFake();
    await bash.close();
    await bash.close();
    await expect(bash.call({ command: 'ls' })).rejects.toMatchObject({ name: 'NacreError', code: 'closed' });
  });

  test('closing ends what is under way, and leaves a host that was given to its owner', async () => {
    const { bash, host } = setUpFake({ behave: () => undefined });
    const outcome = expect(bash.call({ command: 'sleep 1000' })).rejects.toBeInstanceOf(ToolAbortError);
    await expect.poll(() => host.runs.length).toBe(1);
    const job = await bash.call({ command: 'sleep 1000', async: true });
    await bash.close();
    await outcome;
    expect(job.run.status).toBe('running');
    expect(host.runs.map(({ heard }) => heard)).toEqual([['stop shutdown'], []]);
    expect(host.closed).toBe(false);
  });

  test('jobs end with it where that is asked for, and no listener stays', async () => {
    const before = process.listenerCount('exit');
    const { bash, host } = setUpFake({ behave: () => undefined, jobsAtExit: 'stop' });
    await bash.call({ command: 'sleep 1000', async: true });
    expect(process.listenerCount('exit')).toBe(before + 1);
    await bash.close();
    expect(host.runs[0]?.heard).toEqual(['stop shutdown']);
    expect(process.listenerCount('exit')).toBe(before);
  });

  test('one call at a time, in order, when it is set so', async () => {
    const { bash, host } = setUpFake({ serial: true, behave: () => undefined });
    const calls = ['a', 'b', 'c'].map((command) => bash.call({ command }));
    for (const index of [0, 1, 2]) {
      await expect.poll(() => host.runs.length).toBe(index + 1);
      host.runs[index]?.end();
      await calls[index];
    }
    expect(host.runs.map(({ request }) => request.command)).toEqual(['a', 'b', 'c']);
  });

  test('a call that is aborted while it waits for its turn gives it up at once', async () => {
    const controller = new AbortController();
    const { bash, host } = setUpFake({ serial: true, behave: () => undefined });
    const first = bash.call({ command: 'a' });
    const second = bash.call({ command: 'b' }, { signal: controller.signal });
    const third = bash.call({ command: 'c' });
    await expect.poll(() => host.runs.length).toBe(1);
    controller.abort();
    await expect(second).rejects.toBeInstanceOf(ToolAbortError);
    expect(host.runs).toHaveLength(1);
    host.runs[0]?.end();
    await first;
    await expect.poll(() => host.runs.length).toBe(2);
    host.runs[1]?.end();
    await third;
    expect(host.runs.map(({ request }) => request.command)).toEqual(['a', 'c']);
  });

  test('inside the tool an abort is a result with a status, not an error', async () => {
    const { root, host } = setUpFake({ behave: () => undefined });
    const instance = createInstance(resolveOptions({ cwd: root, stateDirectory: join(root, 'own'), host }));
    const perform = (signal: AbortSignal) =>
      performCall({ command: 'sleep 1000' }, { ...instance, call: { signal }, traceVariables: {} });
    expect((await perform(AbortSignal.abort())).run).toMatchObject({ status: 'aborted', runId: null });
    const controller = new AbortController();
    const running = perform(controller.signal);
    await expect.poll(() => host.runs.length).toBe(1);
    controller.abort();
    expect((await running).run).toMatchObject({ status: 'aborted', aborted: true, runId: 'fake0' });
    await instance.close();
  });

  test('without that, calls overlap', async () => {
    const { bash, host } = setUpFake({ behave: () => undefined });
    const calls = ['a', 'b'].map((command) => bash.call({ command }));
    await expect.poll(() => host.runs.length).toBe(2);
    for (const run of host.runs) run.end();
    await Promise.all(calls);
  });

  test('offers the tool with its schema and description', () => {
    const { bash, root } = setUpFake();
    expect(bash.tool.name).toBe('bash');
    expect(bash.tool.description).toContain(root);
    expect(bash.tool.inputSchema.required).toEqual(['command']);
  });

  test('a result is text and structure, each complete', async () => {
    const { bash } = setUpFake({ behave: (run) => run.end({ ending: { kind: 'exited', exitCode: 3 } }) });
    const result = await bash.call({ command: 'x', timeout: 99_999 });
    expect(textOf(result)).toBe(
      '(no output)\n\nTimeout clamped to 3600s (requested 99999s; allowed range 1-3600s).\nCommand exited with code 3',
    );
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });
});
