import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { nacreEnv, runNacre, startNacre } from '../../helpers/nacre-cli.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

let env: NodeJS.ProcessEnv;
beforeEach(() => {
  env = nacreEnv(temporaryDirectory());
});

const nacre = (...args: string[]) => runNacre(args, { env });

async function end(id: string): Promise<void> {
  await nacre('jobs', 'kill', id, '--signal', 'KILL');
}

async function start(command: string): Promise<string> {
  const { run } = JSON.parse((await nacre('run', '--async', '--json', command)).stdout);
  onTestFinished(() => end(run.job.id));
  return run.job.id;
}

test('run --async prints the id alone on stdout and how to stop the job on stderr', async () => {
  const { status, stdout, stderr } = await nacre('run', '--async', 'sleep 1000');
  const id = stdout.trimEnd();
  onTestFinished(() => end(id));
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^\w+\n$/)]);
  expect(stderr).toContain(`nacre: To stop it: nacre jobs kill ${id}\n`);
  expect(JSON.parse((await nacre('jobs', '--json')).stdout)).toMatchObject([{ id, state: 'running' }]);
  expect(await nacre('run', '--async', 'git add -A')).toMatchObject({ status: 126, stdout: '' });
});

test('kill takes several ids, and an unknown one among them stops nothing', async () => {
  const ids = [await start('sleep 1000'), await start('sleep 1000')];
  expect(await nacre('jobs', 'kill', ...ids, 'unknown')).toMatchObject({ status: 1, stdout: '' });
  const running = JSON.parse((await nacre('jobs', '--json')).stdout);
  expect(running.map(({ id }: { id: string }) => id).sort()).toEqual([...ids].sort());
  const killed = await nacre('jobs', 'kill', ...ids, '--escalate', '--json');
  expect([killed.status, killed.stdout.trim().split('\n').length]).toEqual([0, 2]);
  await expect
    .poll(async () => JSON.parse((await nacre('jobs', '--json')).stdout), { timeout: 30_000 })
    .toEqual([]);
});

test('wait ends as the job did, prints its state, and takes several', async () => {
  const [good, bad] = [await start('exit 0'), await start('exit 7')];
  expect(await nacre('jobs', 'wait', good)).toMatchObject({ status: 0, stdout: `${good} completed 0\n` });
  expect(await nacre('jobs', 'wait', good, bad)).toMatchObject({
    status: 7,
    stdout: `${good} completed 0\n${bad} failed 7\n`,
  });
});

test('wait for a line, and for what does not come in time or at all', async () => {
  const id = await start('echo ready 1; sleep 1000');
  expect(await nacre('jobs', 'wait', id, '--for', 'ready \\d')).toMatchObject({
    status: 0,
    stdout: `${id} running ready 1\n`,
  });
  expect(await nacre('jobs', 'wait', id, '--timeout', '0.05')).toMatchObject({ status: 124 });
  const over = await start('true');
  expect(await nacre('jobs', 'wait', over, '--for', 'never')).toMatchObject({ status: 1 });
});

test('a service is started, waited for, answered and ended by its name', async () => {
  const command = 'echo "listening"; read -r line; echo "got $line"; exit 4';
  const args = [
    'run',
    '--service',
    'web',
    '--ready',
    'listen',
    '--restart',
    'never',
    '--open-input',
    command,
  ];
  onTestFinished(() => end('web'));
  expect(await nacre(...args)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Service web is ready after'),
  });
  expect(await nacre(...args)).toMatchObject({
    status: 2,
    stdout: expect.stringContaining('web is already running'),
  });
  expect(await nacre('jobs', 'send', 'web', 'hello', 'there')).toMatchObject({ status: 0 });
  expect(await nacre('jobs', 'wait', 'web')).toMatchObject({ status: 4 });
  expect((await nacre('jobs', 'tail', 'web')).stdout).toBe('listening\ngot hello there\n');
});

test('what makes a service ready can be named; one that ended before is a failure, however well it ended', async () => {
  const late = ['run', '--service', 'late', '--ready'];
  expect(await nacre(...late, 'log:^up', 'echo up')).toMatchObject({ status: 0 });
  expect(await nacre(...late, 'log:down', 'echo up')).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('up'),
  });
});

test('peek shows text, tail what was printed, byte for byte', async () => {
  const id = await start("printf 'a\\nb\\n\\033[31mred\\033[0m'; sleep 1000");
  await nacre('jobs', 'wait', id, '--for', 'red');
  expect((await nacre('jobs', 'peek', id, '--lines', '2')).stdout).toBe('b\nred\n');
  expect((await nacre('jobs', 'tail', id, '--lines', '2')).stdout).toBe('b\n\x1b[31mred\x1b[0m');
  expect((await nacre('jobs', 'tail', id)).stdout).toBe('a\nb\n\x1b[31mred\x1b[0m');
  expect(JSON.parse((await nacre('jobs', 'peek', id, '--json')).stdout)).toMatchObject({ totalBytes: 16 });
});

test('tail -f goes on until the job ends, and says how it did', async () => {
  const id = await start('echo one; while [[ ! -e "$HOME" ]]; do sleep 0.02; done; echo two; exit 5');
  const tail = startNacre(['jobs', 'tail', '-f', id], { env });
  await tail.saw('one\n');
  await nacre('run', 'mkdir -p "$HOME"');
  expect(await tail.finished).toEqual({
    status: 0,
    stdout: 'one\ntwo\n',
    stderr: `nacre: Job ${id} failed: exit code 5\n`,
  });
});

test('keys reach a job; a line needs an open input', async () => {
  const id = await start('trap "exit 9" INT; echo ready; while :; do sleep 0.05; done');
  await nacre('jobs', 'wait', id, '--for', 'ready');
  expect(await nacre('jobs', 'send', id, 'hello')).toMatchObject({ status: 1, stdout: '' });
  expect(await nacre('jobs', 'send', id, '--key', 'ctrl-c')).toMatchObject({ status: 0 });
  expect(await nacre('jobs', 'wait', id)).toMatchObject({ status: 9 });
});

test('nacre run waits to the end, whatever is set for models', async () => {
  env = { ...env, NACRE_ASYNC_AUTO_BACKGROUND_AFTER_MS: '1', NACRE_ASYNC_AUTO_BACKGROUND_ENABLED: '1' };
  for (const how of ['--json', '--view']) {
    const { stdout } = await nacre('run', how, 'sleep 0.2; echo to the end');
    expect(stdout).toContain('to the end');
  }
});

test('prune forgets jobs that are over', async () => {
  const [over, going] = [await start('true'), await start('sleep 1000')];
  await nacre('jobs', 'wait', over);
  expect((await nacre('jobs', 'prune', '--older-than', '1')).stdout).toBe('Deleted 0 jobs.\n');
  expect((await nacre('jobs', 'prune')).stdout).toBe('Deleted 1 jobs.\n');
  const left = JSON.parse((await nacre('jobs', '--json')).stdout);
  expect(left).toMatchObject([{ id: going, state: 'running', processes: 1 }]);
});

test.each([
  [['wait']],
  [['tail', 'a', 'b']],
  [['tail', 'a', '--json']],
  [['peek', 'a', '--follow']],
  [['send', 'a']],
  [['wait', 'a', '--for', 'port:0']],
  [['wait', 'a', '--for', '(']],
  [['prune', 'a']],
])('jobs %j is bad usage', async (args) => {
  expect(await nacre('jobs', ...args)).toMatchObject({ status: 2, stdout: '' });
});

describe('on a terminal', () => {
  /** The command line on a real pseudo-terminal, and what is on it. */
  function openTerminal(...args: string[]) {
    const bin = join(import.meta.dirname, '../../../bin/nacre.cjs');
    const log = join(temporaryDirectory(), 'typescript');
    const line = `stty cols 100 rows 20; ${process.execPath} ${bin} ${args.join(' ')}`;
    const child = spawn('script', ['-qefc', line, log], {
      env: { ...env, TERM: 'xterm' },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const read = (): string => readFileSync(log, 'utf8');
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    onTestFinished(() => void child.kill('SIGKILL'));
    return { type: (keys: string) => child.stdin.write(keys), read, ended };
  }

  test('jobs are shown live, searched, followed, stopped, and the terminal is left as it was', async () => {
    const id = await start('echo hello from the job; sleep 1000');
    await start('sleep 999');
    const terminal = openTerminal('jobs');
    const text = (): string => terminal.read().replace(/\x1b\[[\d;]*m/g, '');
    const sees = (what: string | RegExp) => expect.poll(text, { timeout: 30_000 }).toMatch(what);
    await sees(/Jobs.* {3}.*2 running/);
    await sees(/echo hello from .* running.*MiB .*hello from the job/);
    terminal.type('/hello');
    await sees(/hello.*enter.*keep/);
    terminal.type('\r');
    terminal.type('f');
    await sees(/artifact:\/\/[\s\S]*1 +hello from the job/);
    terminal.type('q');
    terminal.type('s');
    await sees(/Stop echo hello from/);
    terminal.type('y');
    await sees('Stopped.');
    expect(await nacre('jobs', 'wait', id, '--timeout', '20')).toMatchObject({ status: 143 });
    terminal.type('q');
    expect(await terminal.ended).toBe(0);
    expect(terminal.read()).toMatch(/\x1b\[\?1049h[\s\S]*\x1b\[\?25h\x1b\[0m\x1b\[\?1049l/);
  });

  test('nacre jobs list is plain there, too', async () => {
    const id = await start('sleep 1000');
    const terminal = openTerminal('jobs', 'list');
    expect(await terminal.ended).toBe(0);
    expect(terminal.read()).toContain(id);
    expect(terminal.read()).not.toContain('\x1b[?1049h');
  });
});

test('a job on a terminal is driven from the command line: its screen, lines, keys', async () => {
  const command = 'read -rp "name? " n; echo "hi $n"; read -rn1 k; printf "key %q" "$k"; read -r';
  const started = await nacre('run', '--async', '--pty', '--json', command);
  const { id } = JSON.parse(started.stdout).run.job;
  onTestFinished(() => end(id));
  await nacre('jobs', 'wait', id, '--for', 'name', '--timeout', '30');
  const { stdout, stderr } = await nacre('jobs', 'peek', id);
  expect(stdout).toBe('name? \n');
  expect(stderr).toContain('The screen, 80 by 24; the cursor is in row 1, column 7.');
  await nacre('jobs', 'send', id, 'Ada');
  await nacre('jobs', 'wait', id, '--for', 'hi Ada', '--timeout', '30');
  await nacre('jobs', 'send', id, '--key', 'q');
  await nacre('jobs', 'wait', id, '--for', 'key q', '--timeout', '30');
  expect((await nacre('jobs', 'peek', id)).stdout).toBe('name? Ada\nhi Ada\nqkey q\n');
  expect((await nacre('jobs', 'send', id, '--key', 'enter')).status).toBe(0);
  expect((await nacre('jobs', 'wait', id, '--timeout', '30')).status).toBe(0);
});
