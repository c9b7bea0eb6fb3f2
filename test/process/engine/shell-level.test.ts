import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Host, RunRequest } from '../../../src/engine/hosts/host.ts';
import { createLocalHost } from '../../../src/engine/hosts/local-host.ts';
import { useLocalHost } from '../../helpers/local.ts';
import { nacreEnv, runNacre } from '../../helpers/nacre-cli.ts';
import { waiting } from '../../helpers/ready.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const { request, start, state } = useLocalHost(0);

const LEVELS = [undefined, '0', '1', '5', '-3', 'text'];
const COMMAND = 'echo "$SHLVL"; bash --norc -c \'echo "$SHLVL"\'; env | grep ^SHLVL=; false | true';

/** A home whose file for interactive shells prints: bash reads it when it believes that rshd or sshd started it. */
const home = join(state, 'home');
mkdirSync(home);
writeFileSync(join(home, '.bashrc'), 'echo "read .bashrc"\n');

function toEnv(level: string | undefined): Record<string, string> {
  return { HOME: home, ...(level === undefined ? {} : { SHLVL: level }) };
}

/** What bash itself prints, with an input that is no socket. */
function plainBash(level: string | undefined): string {
  const env = request('', { env: toEnv(level) }).env;
  return spawnSync('/bin/bash', ['-c', COMMAND], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    .stdout;
}

/** The descriptor of a socket, as a program has it that Node started with a pipe as its input. */
function openSocket(): number {
  const child = spawn('sleep', ['1000'], { stdio: ['pipe', 'ignore', 'ignore'] });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.signalCode === null) await once(child, 'exit');
  });
  return (child.stdin as Socket & { readonly _handle: { readonly fd: number } })._handle.fd;
}

test.each(LEVELS)('a command started with SHLVL %s sees what bash shows', async (level) => {
  const expected = plainBash(level);
  const env = toEnv(level);
  const socket = { kind: 'descriptor', fd: openSocket() } as const;
  const requests: Partial<RunRequest>[] = [
    { env },
    { env, pipeStatus: true },
    { env, pipeStatus: true, input: socket },
    { env: { ...env, SSH_CLIENT: '127.0.0.1 1 2' }, pipeStatus: true },
  ];
  for (const more of requests) {
    const { run, output } = await start(COMMAND, more);
    const { pipeStatus } = await run.ended;
    expect(output()).toBe(expected);
    expect(pipeStatus).toEqual(more.pipeStatus ? [1, 0] : null);
  }
});

test.each(LEVELS)('a warm shell started with SHLVL %s shows what bash shows', async (level) => {
  const expected = plainBash(level);
  const warm = temporaryDirectory();
  const host = createLocalHost({ stateDirectory: warm, onExit: 'end', readyShells: 2 });
  onTestFinished(() => host.close());
  const env = request('', { env: { ...toEnv(level), SSH_CLIENT: '127.0.0.1 1 2' } }).env;
  host.prepare?.(() => ({ shell: '/bin/bash', cwd: warm, env, streams: 'merged', baseEnvironment: null }));
  // A command of one line runs in the shell that waited; another one replaces it with a bash of its own.
  for (const command of [COMMAND, `${COMMAND}\nfalse | true`]) {
    const { output, pipeStatus } = await runWarm(host, warm, { ...request(command, { cwd: warm }), env });
    expect(output).toBe(expected);
    expect(pipeStatus).toEqual([1, 0]);
  }
});

/** Runs a command until a warm shell has served it: on a busy machine a shell takes its time to be ready. */
async function runWarm(host: Host, warm: string, asked: RunRequest) {
  for (let attempt = 0; attempt < 100; attempt++) {
    await vi.waitFor(() => expect(waiting(warm)).not.toEqual([]), { timeout: 30_000, interval: 5 });
    const ready = waiting(warm);
    let output = '';
    const onBytes: RunRequest['onBytes'] = (_, chunk) => {
      output += chunk.toString();
    };
    const run = await host.start({ ...asked, pipeStatus: true, onBytes });
    const { pipeStatus } = await run.ended;
    if (ready.includes(run.id)) return { output, pipeStatus };
  }
  throw new Error('no warm shell served it');
}

test.each([undefined, '0', '-3'])(
  'a session is kept when nacre is started with SHLVL %s and a socket',
  async (level) => {
    const root = temporaryDirectory();
    const env = { ...nacreEnv(root), ...toEnv(level), NACRE_SNAPSHOT: 'off' };
    const run = (command: string) => runNacre(['run', '--session', 'a', '--', command], { env, input: '' });
    await run('kept=5');
    expect(await run('echo "$kept $SHLVL"')).toMatchObject({
      stdout: `5 ${level === '-3' ? 0 : 1}\n`,
      status: 0,
    });
  },
);
