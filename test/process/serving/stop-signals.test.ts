import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { consoleOnTerminal } from '../../helpers/console-on-terminal.ts';
import { isAlive } from '../../helpers/is-alive.ts';
import { nacreEnv, startNacre } from '../../helpers/nacre-cli.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

type Step = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'stdin end';
type Surface = 'run' | 'rpc' | 'mcp' | 'acp';

/** Notes the first SIGTERM and goes on; both sleeps ignore it, and one of them has a session of its own. */
const STUBBORN = `trap ': >got-term' TERM
(trap '' TERM INT HUP; exec sleep "$1") &
(trap '' TERM INT HUP; exec setsid sleep "$1") &
: >ready
until wait; do :; done
`;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const PAIRS = SIGNALS.flatMap((first) => SIGNALS.map((second) => [first, second] as const));

describe('a second signal kills the commands and leaves no process', () => {
  test.each(PAIRS)('mcp: %s, %s', (...steps) => stops('mcp', steps));
  test.each([
    ['acp', 'SIGINT', 'SIGTERM'],
    ['acp', 'SIGHUP', 'SIGHUP'],
    ['rpc', 'SIGTERM', 'SIGTERM'],
    ['rpc', 'SIGHUP', 'SIGINT'],
    ['run', 'SIGINT', 'SIGINT'],
    ['run', 'SIGTERM', 'SIGHUP'],
  ] as const)('%s: %s, %s', (surface, first, second) => stops(surface, [first, second]));
  test.each([
    ['mcp', 'SIGTERM'],
    ['mcp', 'SIGINT'],
    ['acp', 'SIGHUP'],
    ['rpc', 'SIGTERM'],
  ] as const)('%s: stdin end, %s', (surface, signal) => stops(surface, ['stdin end', signal]));
});

test.each(['mcp', 'acp', 'rpc', 'run'] as const)('%s: three signals at once leave no process', (surface) =>
  stops(surface, ['SIGINT', 'SIGTERM', 'SIGHUP'], { atOnce: true }),
);

test.each([
  ['console', 'SIGHUP'],
  ['console', 'SIGTERM'],
  ['watch', 'SIGTERM'],
] as const)('%s: after %s the terminal is as before and no process is left', async (words, signal) => {
  const { root, type, shows, written } = await consoleOnTerminal(words);
  const sleep = uniqueSleep(root);
  await vi.waitFor(() => expect(written()).toContain('\x1b[?1049h'), { timeout: 30_000 });
  if (words === 'console') {
    await type(`!bash ${root}/stubborn.sh ${sleep} & cd ${root} && bash stubborn.sh ${sleep}\r`);
    await until(() => existsSync(join(root, 'ready')));
    await shows('stubborn');
  }
  const [pid = 0] = processes((_, environ) => environ.includes(`HOME=${root}/home\0`), words);
  expect(pid).toBeGreaterThan(1);
  process.kill(pid, signal);
  if (words === 'console') await until(() => existsSync(join(root, 'got-term')));
  // `watch` runs no command, so it may have exited already.
  signalIfAlive(pid, 'SIGTERM');
  await until(() => !isAlive(pid));
  expect(withArgument(sleep)).toEqual([]);
  await vi.waitFor(() => expect(written()).toContain('\x1b[?1049l'), { timeout: 30_000 });
});

async function stops(surface: Surface, steps: readonly Step[], { atOnce = false } = {}): Promise<void> {
  const root = temporaryDirectory();
  const sleep = uniqueSleep(root);
  const env = nacreEnv(root, { NACRE_GRACE_MS: '15000' });
  const command = `bash stubborn.sh ${sleep}`;
  const args = surface === 'run' ? ['run', command] : [surface];
  const { child, finished } = startNacre(args, { env, cwd: root, keepOpen: true });
  for (const line of requests(surface, command)) child.stdin?.write(`${JSON.stringify(line)}\n`);
  if (surface === 'acp') await promptAcp(child, { root, command });
  await until(() => existsSync(join(root, 'ready')));
  for (const [at, step] of steps.entries()) {
    if (step === 'stdin end') child.stdin?.end();
    else child.kill(step);
    // rpc finishes the requests under way when stdin ends.
    if (at < steps.length - 1 && !atOnce && !(surface === 'rpc' && step === 'stdin end'))
      await until(() => existsSync(join(root, 'got-term')));
  }
  const { status } = await finished;
  expect(withArgument(sleep)).toEqual([]);
  const signals = steps.filter((step) => step !== 'stdin end');
  const possible = (atOnce ? signals : signals.slice(0, 1)).map((name) => 128 + constants.signals[name]);
  expect(possible).toContain(status);
}

function requests(surface: Surface, command: string): object[] {
  if (surface === 'rpc') return [{ id: 1, type: 'bash', command }];
  if (surface === 'mcp') {
    const clientInfo = { name: 'test', version: '1' };
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    return [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'bash', arguments: { command } },
      },
    ];
  }
  return [];
}

async function promptAcp(
  { stdin, stdout }: ReturnType<typeof startNacre>['child'],
  { root, command }: { readonly root: string; readonly command: string },
): Promise<void> {
  let output = '';
  stdout?.on('data', (chunk) => {
    output += String(chunk);
  });
  const request = (id: number, method: string, params: object): void =>
    void stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  request(1, 'initialize', { protocolVersion: 1, clientCapabilities: {} });
  await until(() => output.includes('"protocolVersion"'));
  request(2, 'session/new', { cwd: root, mcpServers: [] });
  await until(() => /"sessionId":"[^"]+"/.test(output));
  const sessionId = /"sessionId":"([^"]+)"/.exec(output)?.[1];
  request(3, 'session/prompt', { sessionId, prompt: [{ type: 'text', text: command }] });
}

let made = 0;

/** A duration that no other process on the machine sleeps for. The sleeps are killed after a failed test. */
function uniqueSleep(root: string): string {
  made += 1;
  const sleep = `1000.${process.pid}${made}7`;
  writeFileSync(join(root, 'stubborn.sh'), STUBBORN);
  onTestFinished(() => {
    for (const pid of withArgument(sleep)) signalIfAlive(pid, 'SIGKILL');
  });
  return sleep;
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const until = (look: () => boolean): Promise<void> =>
  vi.waitFor(() => expect(look()).toBe(true), { timeout: 40_000, interval: 10 });

/** The processes with this argument, read from /proc. */
const withArgument = (argument: string): number[] => processes(() => true, argument);

function processes(matches: (cmdline: string, environ: string) => boolean, argument: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const cmdline = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        if (!cmdline.split('\0').includes(argument)) return false;
        return matches(cmdline, readFileSync(`/proc/${pid}/environ`, 'latin1'));
      } catch {
        return false;
      }
    })
    .map(Number)
    .filter(isAlive);
}
