import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NacreError } from '../../../src/errors.ts';
import { setUpFake, textOf } from '../../helpers/fake-bash.ts';

describe('a call that goes well', () => {
  test('hands the plan to the host, and the output back', async () => {
    const { bash, host, root } = setUpFake({
      behave: (run) => {
        run.print('hello\n');
        run.end();
      },
    });
    const result = await bash.call({ command: 'echo hello', timeout: 60, stdin: 'in', env: { A: '1' } });
    expect(result).toMatchObject({
      content: [{ type: 'text', text: 'hello\n' }],
      isError: false,
      details: { timeoutSeconds: 60, wallTimeMs: 5 },
      run: {
        runId: 'fake0',
        status: 'exited',
        exitCode: 0,
        signal: null,
        timedOut: false,
        aborted: false,
        wallTimeMs: 5,
        cwd: root,
        artifact: 'artifact://fake0',
        notes: [],
      },
    });
    expect(result).not.toHaveProperty('error');
    expect(host.runs[0]?.request).toMatchObject({
      command: 'echo hello',
      cwd: root,
      input: { kind: 'text', text: 'in' },
      streams: 'merged',
      timeoutMs: 60_000,
      graceMs: 2_000,
      watcher: 'reader',
      pipeStatus: false,
      baseEnvironment: null,
      preamble: '',
      atExit: '',
      env: { A: '1', HOME: '/home/ada', NACRE: '1', PAGER: 'cat' },
      asked: { session: bash.session, profile: 'agent', command: 'echo hello', label: 'echo hello' },
    });
  });

  test('simple inherits the environment as it is, and keeps the streams apart', async () => {
    const { bash, host } = setUpFake({
      profile: 'simple',
      behave: (run) => {
        run.print('o');
        run.print('e', 'err');
        run.end();
      },
    });
    expect((await bash.call({ command: 'x' })).details).toEqual({ stdout: 'o', stderr: 'e', exitCode: 0 });
    expect(host.runs[0]?.request).toMatchObject({ streams: 'apart', timeoutMs: 30_000 });
    expect(host.runs[0]?.request.env).toEqual({ PATH: '/usr/bin:/bin', HOME: '/home/ada', NACRE: '1' });
  });

  test('a prefix goes before the command', async () => {
    const { bash, host } = setUpFake({ shellPrefix: 'nice -n 5' });
    await bash.call({ command: 'make' });
    expect(host.runs[0]?.request.command).toBe('nice -n 5 make');
  });

  test('what stays behind becomes a job, and who could not be ended is named', async () => {
    const { bash } = setUpFake({
      behave: (run) =>
        run.end({
          leftovers: [{ pid: 7, command: 'sleep 60' }],
          survivors: [{ pid: 8, command: 'stubborn' }],
          notes: ['Engine note.'],
        }),
    });
    const { run, content } = await bash.call({ command: 'sleep 60 & echo done' });
    expect(run.job).toMatchObject({ id: 'fake0', pid: 7, pgid: 4242, state: 'running' });
    expect(run.survivors).toEqual([{ pid: 8, command: 'stubborn' }]);
    expect(run.notes).toEqual([
      'Engine note.',
      'sleep 60 (pid 7) is still running as job fake0; output goes to artifact://fake0. To stop it: kill -9 -4242',
      'Could not be stopped: stubborn (pid 8).',
    ]);
    for (const note of run.notes) expect(textOf({ content })).toContain(note);
  });

  test.each([
    [
      'who left the group is reached by itself',
      [{ pid: 7, command: 'daemon', leftGroup: true as const }],
      '7',
    ],
    [
      'the group and who left it',
      [
        { pid: 7, command: 'daemon', leftGroup: true as const },
        { pid: 9, command: 'sleep 60' },
      ],
      '-4242 7',
    ],
  ])('how to stop what stays behind: %s', async (_, leftovers, words) => {
    const { bash } = setUpFake({ behave: (run) => run.end({ leftovers }) });
    const { run } = await bash.call({ command: 'daemon' });
    expect(run.notes[0]).toMatch(new RegExp(`To stop it: kill -9 ${words}$`));
  });

  test('stages of a last pipeline that ended differently are told', async () => {
    const { bash, host } = setUpFake({ behave: (run) => run.end({ pipeStatus: [1, 0] }) });
    const { run } = await bash.call({ command: 'false | cat' });
    expect(host.runs[0]?.request.pipeStatus).toBe(true);
    expect(run.pipeStatus).toEqual([1, 0]);
    expect(run.notes).toEqual(['Exit codes of the last pipeline: 1, 0.']);
    expect(run.exitCode).toBe(0);
  });
});

describe('what is refused', () => {
  test.each([
    [{}, 'bad_input'],
    [{ command: ' ' }, 'bad_input'],
    [{ command: 'ls', colour: true }, 'bad_input'],
    [{ command: 'ls', cwd: 'none' }, 'cwd_missing'],
    [{ command: 'ls', env: { 'A-B': '1' } }, 'env_name_invalid'],
    [{ command: 'cat skill://none/x' }, 'url_unresolved'],
    [{ command: 'cat local://../x' }, 'url_forbidden'],
  ])('%j resolves as an error with a stable id, and nothing runs', async (input, id) => {
    const { bash, host, root } = setUpFake();
    const result = await bash.call(input);
    expect(result).toMatchObject({
      isError: true,
      error: { id },
      run: { runId: null, status: 'refused', cwd: root },
    });
    expect(textOf(result)).toBe(result.error?.message);
    expect(host.runs).toEqual([]);
  });

  test('nothing is made when anything is refused', async () => {
    const { bash, root } = setUpFake({ hooks: {} });
    await bash.call({ command: 'touch local://new/file', cwd: 'missing' });
    expect(existsSync(join(root, 'state/sessions'))).toBe(false);
    await bash.call({ command: 'touch local://new/file' });
    expect(existsSync(join(root, 'state/sessions'))).toBe(true);
  });

  test('an invalid name of a variable has the message that models know', async () => {
    const { bash } = setUpFake();
    expect(textOf(await bash.call({ command: 'ls', env: { '1A': '' } }))).toBe('Invalid bash env name: 1A');
  });

  test('what the host could not start is a tool error, too', async () => {
    const { bash } = setUpFake({
      fail: new NacreError('spawn_failed', { shell: '/bin/bash', reason: 'EAGAIN' }),
    });
    expect(await bash.call({ command: 'ls' })).toMatchObject({
      isError: true,
      error: { id: 'spawn_failed' },
    });
  });

  test('a shell that cannot be used is refused by name, with the option that sets it', async () => {
    const { bash } = setUpFake({ shellPath: '/nowhere/bash' });
    const { error } = await bash.call({ command: 'ls' });
    expect(error).toMatchObject({ id: 'shell_missing' });
    expect(error?.message).toContain('It is set by the option shellPath.');
  });
});

describe('jobs', () => {
  test('async returns at once and leaves the run to itself', async () => {
    const { bash, host } = setUpFake({ behave: () => undefined });
    const result = await bash.call({ command: 'npm run dev', async: true });
    expect(result).toMatchObject({
      isError: false,
      details: { timeoutSeconds: 86_400, async: { state: 'running', jobId: 'fake0', type: 'bash' } },
      run: {
        status: 'running',
        exitCode: null,
        job: { id: 'fake0', pid: 4242, pgid: 4242, state: 'running' },
      },
    });
    expect(textOf(result)).toContain('Background job fake0 started: npm run dev');
    expect(result.run.job?.outputFile).toMatch(/fake0\/background\.log$/);
    expect(host.runs[0]?.request).toMatchObject({
      watcher: 'nobody',
      timeoutMs: 86_400_000,
      asked: { background: true, completionLine: true },
    });
  });

  test('a limit that the call gave holds for the job', async () => {
    const { bash, host } = setUpFake({ behave: () => undefined });
    await bash.call({ command: 'x', async: true, timeout: 9_999 });
    expect(host.runs[0]?.request).toMatchObject({ timeoutMs: 3_600_000, jobTimeoutMs: 3_600_000 });
  });

  test('a limit that the call did not give does not hold for what it leaves behind', async () => {
    const { bash, host } = setUpFake();
    await bash.call({ command: 'x' });
    await bash.call({ command: 'x', timeout: 5 });
    expect(host.runs.map(({ request }) => request.jobTimeoutMs)).toEqual([86_400_000, 5_000]);
  });

  test.each([
    ['agent', { command: 'x', async: true }],
    ['modes', { command: 'x', mode: 'background' }],
  ] as const)('switched off, %s refuses them', async (profile, input) => {
    const { bash, host } = setUpFake({ profile, async: { enabled: false } });
    const result = await bash.call(input);
    expect(result.error?.id).toBe('async_disabled');
    expect(textOf(result)).toMatch(/^Async bash execution is disabled/);
    expect(host.runs).toEqual([]);
  });

  test('switched off, leaving them out in so many words is no error', async () => {
    const { bash } = setUpFake({ async: { enabled: false } });
    expect((await bash.call({ command: 'x', async: false })).isError).toBe(false);
    expect((await bash.call({ command: 'x', async: null })).isError).toBe(false);
    expect((await bash.call({ command: 'x', async: 'yes' })).error?.id).toBe('bad_input');
  });

  test('with no room for a job none is started', async () => {
    const { bash, host } = setUpFake({ async: { maxJobs: 0 } });
    expect((await bash.call({ command: 'x', async: true })).error?.id).toBe('job_limit');
    expect(host.runs).toEqual([]);
  });
});

describe('normalising', () => {
  test('a leading cd becomes the directory, and what the shell would remember of it is there', async () => {
    const { bash, host, root } = setUpFake();
    mkdirSync(join(root, 'app'));
    const { run } = await bash.call({ command: 'cd app && npm test' });
    expect(run.cwd).toBe(join(root, 'app'));
    expect(host.runs[0]?.request).toMatchObject({
      command: 'npm test',
      cwd: join(root, 'app'),
      env: { OLDPWD: root },
    });
  });

  test('modes and simple run a command as it is written', async () => {
    for (const profile of ['modes', 'simple'] as const) {
      const { bash, host } = setUpFake({ profile });
      await bash.call({ command: 'cd none && npm test' });
      expect(host.runs[0]?.request.command).toBe('cd none && npm test');
    }
  });

  test('limits are lifted only when that is switched on', async () => {
    const off = setUpFake();
    await off.bash.call({ command: 'make | tail -n 5' });
    expect(off.host.runs[0]?.request.command).toBe('make | tail -n 5');
    const on = setUpFake({ liftLimits: true });
    await on.bash.call({ command: 'make | tail -n 5' });
    expect(on.host.runs[0]?.request.command).toBe('make');
  });

  test('URLs become paths in the command, in values and in the directory', async () => {
    const { bash, host, root } = setUpFake();
    const skills = { s: root };
    const other = setUpFake({ urls: { skills } });
    mkdirSync(join(root, 'd'));
    await other.bash.call({ command: 'ls skill://s/d', env: { D: 'skill://s/d' }, cwd: 'skill://s/d' });
    expect(other.host.runs[0]?.request).toMatchObject({
      command: `ls ${root}/d`,
      env: { D: `${root}/d` },
      cwd: `${root}/d`,
    });
    await bash.call({ command: 'pwd', cwd: 'local://' });
    expect(existsSync(host.runs[0]?.request.cwd ?? '')).toBe(true);
  });
});
