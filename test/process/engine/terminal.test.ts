import { readdirSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import type { RunRequest } from '../../../src/engine/hosts/host.ts';
import { findTerminalProgram } from '../../../src/engine/shell/find-program.ts';
import { useLocalHost } from '../../helpers/local.ts';

const { start, startReady, host, request } = useLocalHost();

const ON_TERMINAL: Partial<RunRequest> = {
  terminal: { columns: 80, rows: 24, program: findTerminalProgram('linux') ?? 'script' },
  input: { kind: 'open' },
};

const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000, interval: 5 });

test('all three streams are one terminal of the size asked for, and /dev/tty is it', async () => {
  const { run, output } = await start(
    '[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo all; stty size; echo tty >/dev/tty; echo "$0 $-"',
    ON_TERMINAL,
  );
  expect((await run.ended).ending).toMatchObject({ kind: 'exited', exitCode: 0 });
  expect(output()).toBe('all\r\n24 80\r\ntty\r\nbash hBc\r\n');
});

test.each([
  ['exit 7', { kind: 'exited', exitCode: 7 }],
  ['exit 137', { kind: 'exited', exitCode: 137 }],
  ['kill -KILL $$', { kind: 'signaled', signal: 'SIGKILL' }],
  ['kill -TERM $$', { kind: 'signaled', signal: 'SIGTERM' }],
  ['kill -SEGV $$', { kind: 'signaled', signal: 'SIGSEGV' }],
])('%s is told as what it was', async (command, ending) => {
  const { run } = await start(command, ON_TERMINAL);
  expect((await run.ended).ending).toMatchObject(ending);
});

test('what is typed arrives, and ctrl-c and ctrl-d do what they do on a terminal', async () => {
  const asked = await startReady('read -rp "ready? " x; echo "got $x"', ON_TERMINAL);
  await asked.run.send('yes\r');
  await asked.run.ended;
  expect(asked.output()).toBe('ready? yes\r\ngot yes\r\n');

  const interrupted = await startReady(
    'trap "echo caught; exit 3" INT; echo ready; while :; do sleep 0.05; done',
    ON_TERMINAL,
  );
  await interrupted.run.send('\x03');
  expect((await interrupted.run.ended).ending).toMatchObject({ exitCode: 3 });
  expect(interrupted.output()).toContain('caught');

  const ended = await startReady('echo ready; cat; echo over', ON_TERMINAL);
  await ended.run.send('\x04');
  await ended.run.ended;
  expect(ended.output()).toContain('over');
});

test('a hidden input is not echoed', async () => {
  const { run, output } = await startReady('read -rsp "ready " x; echo "${#x}"', ON_TERMINAL);
  await run.send('secret\r');
  await run.ended;
  expect(output()).toBe('ready 6\r\n');
});

test('another size is told to the program', async () => {
  const { run, output } = await startReady(
    'trap "stty size; exit" WINCH; echo ready; while :; do sleep 0.02; done',
    ON_TERMINAL,
  );
  await run.resize({ columns: 132, rows: 50 });
  await run.ended;
  expect(output()).toContain('50 132');
});

test('the command is the foreground of its terminal: programs in the background of it are stopped, not the command', async () => {
  const { run, output } = await start(
    'ps -o tpgid=,pgid= -p $$ | { read -r t p; [ "$t" = "$p" ] && echo foreground; }',
    ON_TERMINAL,
  );
  await run.ended;
  expect(output()).toBe('foreground\r\n');
});

test('a stop ends everybody on the terminal', async () => {
  const { run } = await startReady(
    'trap "" TERM HUP INT; (setsid sleep 1000 &) ; echo ready; while :; do sleep 1; done',
    {
      ...ON_TERMINAL,
      graceMs: 100,
    },
  );
  await run.stop('abort');
  const { ending, survivors } = await run.ended;
  expect(ending).toMatchObject({ kind: 'stopped', reason: 'abort' });
  expect(survivors).toEqual([]);
});

test('no byte is lost at the end, whatever was printed last', async () => {
  for (let round = 0; round < 40; round++) {
    const { run, output } = await start(`printf 'x%.0s' {1..20000}; printf 'last ${round}'`, ON_TERMINAL);
    await run.ended;
    expect(output()).toBe(`${'x'.repeat(20_000)}last ${round}`);
  }
});

test('a long command, quotes, newlines and a heredoc arrive as they are', async () => {
  const command = `cat <<'END'\n${"it's \\ $x `y`\n".repeat(20_000)}END\necho done`;
  const { run, output } = await start(command, ON_TERMINAL);
  await run.ended;
  expect(output().endsWith('done\r\n')).toBe(true);
  expect(output().split('\r\n')).toHaveLength(20_002);
  expect(output().startsWith("it's \\ $x `y`\r\n")).toBe(true);
});

test('its own variables reach the command, and ours do not', async () => {
  const { run, output } = await start('echo "$SHELL|${BASH_ENV-none}|$NACRE_RUN_ID"; compgen -v nacre_', {
    ...ON_TERMINAL,
    env: { SHELL: '/bin/zsh' },
  });
  await run.ended;
  expect(output()).toBe(`/bin/zsh|none|${run.id}\r\n`);
});

test('descriptors do not grow', async () => {
  const count = (): number => readdirSync('/proc/self/fd').length;
  await (await start('true', ON_TERMINAL)).run.ended;
  const before = count();
  for (let round = 0; round < 30; round++) await (await start('echo x', ON_TERMINAL)).run.ended;
  await until(() => expect(count()).toBeLessThanOrEqual(before + 1));
});

test('a terminal that cannot be made is told, and has no exit code', async () => {
  const run = await host.start({
    ...request('echo never', { ...ON_TERMINAL, terminal: { columns: 80, rows: 24, program: '/bin/false' } }),
  });
  expect((await run.ended).ending).toMatchObject({ kind: 'lost' });
});
