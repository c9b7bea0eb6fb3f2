import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { nacreEnv, runNacre } from '../../helpers/nacre-cli.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

let root: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  root = temporaryDirectory();
  env = nacreEnv(root);
});

const nacre = (...args: string[]) => runNacre(args, { env });

const utf8 = (latin1: string): string => Buffer.from(latin1, 'latin1').toString();

async function json(...args: string[]) {
  return JSON.parse((await nacre(...args, '--json')).stdout);
}

describe('nacre jobs', () => {
  test('a job is started, listed by another process, and ended for certain', async () => {
    const started = await json('run', '--async', 'trap "" TERM; while :; do sleep 1000; done');
    const { id, pid } = started.run.job;
    expect(await json('jobs')).toMatchObject([{ id, pid, state: 'running', session: 'cli' }]);
    expect((await nacre('jobs')).stdout).toMatch(
      new RegExp(`^ID +STATE +PID +AGE +CPU +MEMORY +PORTS +NAME +LAST LINE\n${id} +running +${pid} `),
    );

    const killed = await json('jobs', 'kill', id, '--escalate', '--grace', '0.1');
    expect(killed.survivors).toEqual([]);
    await expect
      .poll(() => json('jobs', '--all'), { timeout: 30_000 })
      .toMatchObject([{ id, state: 'failed' }]);
    expect(await nacre('jobs', 'list')).toEqual({
      status: 0,
      stdout: '',
      stderr: 'nacre: No job is running. To list ended jobs: nacre jobs list --all\n',
    });
    expect((await nacre('jobs', 'list', '--all')).stdout).toContain(id);
    expect(await nacre('jobs', 'kill', id)).toMatchObject({
      status: 1,
      stderr: `nacre: Job ${id} has ended already.\n`,
    });
  });

  test('a job gets exactly the signal that was asked for', async () => {
    const { run } = await json(
      'run',
      '--async',
      'trap "echo hup; exit 5" HUP; echo ready; while :; do sleep 0.05; done',
    );
    await expect
      .poll(() => nacre('run', `cat ${run.job.outputFile}`), { timeout: 20_000 })
      .toMatchObject({ stdout: expect.stringContaining('ready') });
    expect(await nacre('jobs', 'kill', run.job.id, '--signal', 'hup')).toMatchObject({
      status: 0,
      stderr: '',
    });
    await expect
      .poll(() => json('jobs', '--all'), { timeout: 20_000 })
      .toMatchObject([{ state: 'failed', exitCode: 5 }]);
  });

  test.each([
    [['kill'], 2],
    [['kill', 'nothing'], 1],
    [['list', 'x'], 2],
    [['stop'], 2],
    [['--escalate'], 2],
    [['kill', 'x', '--signal', 'NOPE'], 2],
    [['kill', 'x', '--signal', 'HUP', '--escalate'], 2],
    [['kill', 'x', '--grace', '1'], 2],
    [['kill', 'x', '--running'], 2],
    [['list', '--all', '--running'], 2],
  ])('jobs %j ends with status %i and says why', async (args, status) => {
    const finished = await nacre('jobs', ...args);
    expect(finished).toMatchObject({ status, stdout: '' });
    expect(finished.stderr).toMatch(/^nacre: /);
  });
});

describe('nacre log', () => {
  test('every command is in it, newest last, and it can be filtered', async () => {
    await nacre('run', 'true');
    await nacre('run', 'exit 3');
    await nacre('run', '--session', 'other', 'kill -9 $$');
    await nacre('run', ' ');
    const commands = async (...args: string[]) =>
      (await json('log', ...args)).map(({ command }: { command: string }) => command);
    expect((await commands()).slice(0, 3)).toEqual(['true', 'exit 3', 'kill -9 $$']);
    expect(await commands('--last', '1')).toHaveLength(1);
    expect(await commands('--failed')).toEqual(['exit 3', 'kill -9 $$']);
    expect(await commands('--failed', '--last', '1')).toEqual(['kill -9 $$']);
    expect(await commands('--session', 'other')).toEqual(['kill -9 $$']);
    expect(await commands('--grep', 'exit')).toEqual(['exit 3']);
    expect(await commands('--refused')).toHaveLength(1);
    expect((await nacre('log')).stdout).toMatch(
      /^TIME +EXIT +DURATION +RUN +COMMAND\n\d{4}-\d\d-\d\d [\d:]{8} +0 /,
    );
  });

  test('an empty log is no error', async () => {
    expect(await nacre('log')).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(await json('log')).toEqual([]);
  });
});

describe('nacre doctor', () => {
  test('the machine, the promises and every setting with its source are in the report', async () => {
    env = { ...env, NACRE_GRACE_MS: '500', NACRE_PROFLE: 'simple' };
    const report = await json('doctor');
    expect(report).toMatchObject({
      machine: { bash: { path: expect.stringMatching(/bash$/) }, stateDirectory: { problem: null } },
      unknownVariables: ['NACRE_PROFLE'],
    });
    const graceMs = report.settings.find(({ key }: { key: string }) => key === 'graceMs');
    expect(graceMs).toMatchObject({ value: 500, sources: ['NACRE_GRACE_MS'] });
    const { status, stdout } = await nacre('doctor');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ {2}graceMs +500 +NACRE_GRACE_MS$/m);
    expect(utf8(stdout)).toMatch(/^ {2}✓ bash: \/.*bash, \d/m);
    expect(utf8(stdout)).toMatch(/^ {2}✗ NACRE_PROFLE: .*\n {4}Fix: .* 'NACRE_PROFILE'/m);
    expect(stdout).not.toContain('jobTimeoutMs');
    expect((await nacre('doctor', '--all')).stdout).toMatch(/^ {2}jobTimeoutMs +86400000 +default$/m);
  });

  test('where nothing can be run it says why and ends with status 1', async () => {
    env = { ...env, NACRE_SHELL_PATH: '/nonexistent', XDG_STATE_HOME: '/dev/null/x' };
    const { status, stdout } = await nacre('doctor');
    expect(status).toBe(1);
    expect(stdout.replace(/\s+/g, ' ')).toContain('It is set by the variable NACRE_SHELL_PATH.');
    expect(utf8(stdout)).toMatch(/✗ bash: .*\n(?: {4}.*\n)* {4}Fix: /);
    expect(utf8(stdout)).toMatch(/✗ state directory: .*\n(?: {4}.*\n)* {4}Fix: /);
  });

  test('a broken settings file is named with the line, and the rest of the report is there', async () => {
    const file = join(root, 'config/nacre/settings.json');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '{\n  "graceMs": 300,\n  "ci" false\n}\n');
    env = { ...env, NACRE_SERIAL: '1' };
    const { status, stdout } = await nacre('doctor');
    expect(status).toBe(1);
    expect(utf8(stdout).replace(/\s+/g, ' ')).toContain(`✗ error: ${file}:3 `);
    expect(utf8(stdout)).toMatch(/✓ bash: /);
    expect(stdout).toMatch(/^ {2}serial +true +NACRE_SERIAL$/m);
    const refused = await nacre('run', 'true');
    expect([refused.status, refused.stderr]).toEqual([125, expect.stringContaining(`${file}:3 `)]);
  });
});

describe('nacre', () => {
  test('bare, and with --help, it shows the help; --version shows the version', async () => {
    const help = await nacre('--help');
    expect(help).toMatchObject({ status: 0, stderr: '' });
    expect(help.stdout).toContain('Usage: nacre <command>');
    expect(await nacre()).toEqual(help);
    expect((await nacre('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await nacre('-V')).toEqual(await nacre('--version'));
    expect((await nacre('help', 'run')).stdout).toBe((await nacre('run', '--help')).stdout);
  });

  test('a completion script is printed for a shell that is known', async () => {
    expect((await nacre('completion', 'bash')).stdout).toContain('--timeout');
    expect(await nacre('completion', 'tcsh')).toMatchObject({ status: 2, stdout: '' });
  });

  test('a program that asked for JSON gets errors as JSON', async () => {
    expect(await nacre('jobs', 'kill', 'nothing', '--json')).toEqual({
      status: 1,
      stdout: '',
      stderr: '{"error":{"id":"job_not_found","message":"There is no job nothing in this session."}}\n',
    });
  });

  test('an unknown command names the nearest one', async () => {
    expect((await nacre('job')).stderr).toBe(
      "nacre: Unknown command 'job'. Did you mean 'jobs'?\nnacre: See nacre --help.\n",
    );
  });
});
