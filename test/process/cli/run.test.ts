import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { nacreEnv, runNacre, startNacre } from '../../helpers/nacre-cli.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const BIN = join(import.meta.dirname, '../../../bin/nacre.cjs');
let root: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  root = temporaryDirectory();
  env = nacreEnv(root);
});

const nacre = (args: readonly string[], input?: string) =>
  runNacre(args, { env, ...(input === undefined ? {} : { input }) });

/** A shell line in which `nacre` is the command line under test. */
const inShell = (line: string): string =>
  execFileSync('bash', ['-c', `nacre() { ${process.execPath} ${BIN} "$@"; }; ${line}`], {
    env,
    encoding: 'utf8',
  });

/** Gone, or dead and only waiting for the first process to notice. */
async function untilGone(pid: number): Promise<void> {
  const state = (): string => {
    try {
      return readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/.*\) /s, '').charAt(0);
    } catch {
      return 'gone';
    }
  };
  await expect.poll(state, { timeout: 10_000 }).toMatch(/gone|Z/);
}

describe('nacre run', () => {
  test('both streams come through unchanged and apart', async () => {
    const command = `printf 'a\\r\\033[31mb\\377\\000c'; printf 'no newline' >&2`;
    expect(await nacre(['run', command])).toEqual({
      status: 0,
      stdout: 'a\r\x1b[31mb\xff\x00c',
      stderr: 'no newline',
    });
  });

  test('output comes while the command runs', async () => {
    const gate = join(root, 'gate');
    const started = startNacre(['run', `echo ready; until [ -e ${gate} ]; do sleep 0.02; done; echo done`], {
      env,
    });
    await started.saw('ready\n');
    writeFileSync(gate, '');
    expect(await started.finished).toMatchObject({ status: 0, stdout: 'ready\ndone\n' });
  });

  test('piped input is passed on, and without a pipe there is none', async () => {
    expect(await nacre(['run', 'cat; echo end'], 'one\ntwo')).toMatchObject({ stdout: 'one\ntwoend\n' });
    expect(await nacre(['run', 'cat; echo end'])).toMatchObject({ stdout: 'end\n' });
  });

  test('-C sets the directory and -e variables', async () => {
    const args = ['run', '-C', '/', '-e', 'A=1', '-e', 'B=x=y', 'echo "$PWD $A $B"'];
    expect(await nacre(args)).toMatchObject({ status: 0, stdout: '/ 1 x=y\n' });
  });

  test('several arguments are words, and one is a command text', async () => {
    expect(await nacre(['run', 'printf', '[%s]', 'a b', '$HOME', '--json'])).toMatchObject({
      stdout: '[a b][$HOME][--json]',
    });
    expect(await nacre(['run', 'printf "[%s]" a\\ b | tr a x'])).toMatchObject({ stdout: '[x b]' });
  });

  test.each([
    [['run', 'exit 7'], 7],
    [['run', 'nonexistent-program'], 127],
    [['run', 'kill -9 $$'], 137],
    [['run', 'kill -TERM $$'], 143],
    [['run', '--timeout', '1', 'sleep 1000'], 124],
    [['run', ''], 2],
    [['run'], 2],
    [['run', '--cwd', '/nonexistent', 'true'], 2],
    [['run', '--env', 'A-B=1', 'true'], 2],
    [['run', '--timeout', 'soon', 'true'], 2],
    [['run', '--view', '--json', 'true'], 2],
    [['rn', 'true'], 2],
    [['--nothing'], 2],
  ])('%j ends with status %i', async (args, status) => {
    expect(await nacre(args)).toMatchObject({ status, stdout: '' });
  });

  test('a run that cannot be kept is a failure of ours', async () => {
    env = { ...env, XDG_STATE_HOME: '/dev/null/nowhere' };
    expect(await nacre(['run', 'true'])).toMatchObject({ status: 125 });
  });

  test('notes go to stderr', async () => {
    const clamped = 'nacre: Timeout clamped to 3600s (requested 9999s; allowed range 1-3600s).\n';
    expect(await nacre(['run', '--timeout', '9999', 'echo x'])).toEqual({
      status: 0,
      stdout: 'x\n',
      stderr: clamped,
    });
    expect(await nacre(['run', '--timeout', '1', 'echo x; sleep 1000'])).toEqual({
      status: 124,
      stdout: 'x\n',
      stderr: 'nacre: Command timed out after 1 seconds\n',
    });
  });

  test('--env, --cwd and options behind the command are heard', async () => {
    mkdirSync(join(root, 'there'));
    const args = ['run', 'echo "$A" "$PWD"', '--env', 'A=x y', '--cwd', join(root, 'there')];
    expect(await nacre(args)).toMatchObject({ stdout: `x y ${join(root, 'there')}\n` });
  });

  test('--view prints what a model would see, and --json the whole result', async () => {
    expect(await nacre(['run', '--view', 'echo out; echo err >&2; exit 3'])).toEqual({
      status: 3,
      stdout: expect.stringMatching(/^out\nerr\n[\s\S]*Command exited with code 3\n$/),
      stderr: '',
    });
    const { status, stdout } = await nacre(['run', 'echo out; exit 3', '--json']);
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      isError: true,
      details: { exitCode: 3, timeoutSeconds: 300 },
      run: { status: 'exited', exitCode: 3, cwd: process.cwd() },
    });
  });

  test('--output-max-bytes limits the shown output', async () => {
    const { stdout } = await nacre(['run', '--view', '--output-max-bytes', '2KiB', 'seq 10000; exit 3']);
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(2048 + 300);
    expect(stdout).toMatch(
      /^1\n2\n[\s\S]*Full output: artifact:\/\/[\s\S]*\n10000\n[\s\S]*exited with code 3\n$/,
    );
    expect(await nacre(['run', '--view', '--output-max-bytes', '12', 'true'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('a number of bytes from 1024 to 196608, or text such as "10KiB"'),
    });
  });

  test.each(['modes', 'simple'])('the profile %s runs the same way', async (profile) => {
    const command = 'echo out; echo err >&2; exit 3';
    expect(await nacre(['run', '--profile', profile, command])).toEqual({
      status: 3,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    expect(await nacre(['run', '--profile', profile, '--timeout', '1', 'sleep 1000'])).toMatchObject({
      status: 124,
    });
  });

  test('settings count, and a bad one is an error that names file and key', async () => {
    const file = join(root, 'config/nacre/settings.json');
    mkdirSync(join(root, 'config/nacre'), { recursive: true });
    writeFileSync(file, '{"shellPrefix": "echo prefix;"}');
    expect(await nacre(['run', 'true'])).toMatchObject({ stdout: 'prefix\n' });
    writeFileSync(file, '{"shellPath": "/nonexistent/bash"}');
    expect(await nacre(['run', 'true'])).toMatchObject({
      status: 125,
      stderr: expect.stringContaining('It is set by the option shellPath.'),
    });
    writeFileSync(file, '{"timeotMs": 1}');
    expect(await nacre(['run', 'true'])).toMatchObject({
      status: 125,
      stderr: `nacre: ${file}:1: unknown setting 'timeotMs'. Did you mean 'timeoutMs'?\n`,
    });
  });
});

describe('nacre run, interrupted', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends the whole tree with status %i, and what was printed stays', async (signal, status) => {
    const started = startNacre(['run', 'sleep 1000 & echo $! ready; wait'], { env });
    await started.saw('ready');
    started.child.kill(signal);
    const { stdout, ...rest } = await started.finished;
    expect(rest).toMatchObject({ status });
    await untilGone(Number.parseInt(stdout, 10));
  });

  test('a second signal kills what the first one asked to end', async () => {
    const command = 'trap "" TERM; echo ready; sleep 14; echo late';
    const started = startNacre(['run', '--grace', '15', command], { env });
    await started.saw('ready');
    started.child.kill('SIGINT');
    started.child.kill('SIGTERM'); // another one: two of the same kind may arrive as one
    const { status, stdout } = await started.finished;
    // Either may be seen first.
    expect([130, 143]).toContain(status);
    expect(stdout).toBe('ready\n');
  });

  test('a reader that does not read holds back neither the limit nor the end', () => {
    const line = `mkfifo ${root}/never; exec 3<>${root}/never; nacre run --timeout 1 yes >${root}/never; echo $?`;
    expect(inShell(line)).toBe('124\n');
  });

  test('a reader that leaves ends the command quietly', () => {
    expect(inShell('nacre run yes 2>&1 | head -n 1; echo "${PIPESTATUS[0]}"')).toBe('y\n141\n');
    expect(inShell('nacre run \'yes >&2\' 2>&1 | head -n 1; echo "${PIPESTATUS[0]}"')).toBe('y\n141\n');
  });

  test('the pipe it writes to stays as it is for everybody else', () => {
    // The command looks while it runs: at its end Node puts back what it changed.
    const printed = inShell('{ nacre run "cat /proc/$BASHPID/fdinfo/1"; } | grep flags:');
    expect(Number.parseInt(printed.split(/\s+/)[1] ?? '', 8) & 0o4000).toBe(0);
  });

  test('a large output arrives whole, however slowly it is read', () => {
    const count = 3_000_000;
    const line = `nacre run 'head -c ${count} /dev/zero' | { sleep 0.3; wc -c; }`;
    expect(inShell(line).trim()).toBe(String(count));
  });
});

test('nacre run keeps what it ran in the log', async () => {
  await nacre(['run', '--session', 'mine', 'exit 4']);
  const log = readFileSync(join(root, 'state/nacre/log/current.jsonl'), 'utf8').trim().split('\n');
  expect(log.map((line) => JSON.parse(line))).toMatchObject([
    { event: 'start', session: 'mine', command: 'exit 4' },
    { event: 'end', exitCode: 4 },
  ]);
});
