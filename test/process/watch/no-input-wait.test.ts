import { expect, test, vi } from 'vitest';
import { findInputWait } from '../../../src/engine/watch/input-wait.ts';
import { startOnTerminal, startWithPipe, untilStill } from '../../helpers/blocked.ts';

const bash = (script: string): string[] => ['bash', '-c', script];
const python = (script: string): string[] => ['python3', '-c', script];
const node = (script: string): string[] => [process.execPath, '-e', script];

const SERVER = 'require("http").createServer().listen(0, "127.0.0.1", () => console.log("ready"))';

test.each([
  ['who sleeps', bash('echo ready; exec sleep 1000')],
  ['who waits for a child', bash('echo ready; sleep 1000 & wait')],
  ['the reader of a pipeline, which waits for its neighbour', bash('echo ready; sleep 1000 | cat')],
  ['the last of three', bash('echo ready; sleep 1000 | cat | cat')],
  ['who waits for the output of a substitution', bash('echo ready; x=$(sleep 1000)')],
  ['who reads from a process substitution', bash('echo ready; cat < <(sleep 1000)')],
  ['who reads from a coprocess', bash('echo ready; coproc sleep 1000; cat <&"${COPROC[0]}"')],
  [
    'whose input is a named pipe between two of the run',
    bash('d=$(mktemp -d); mkfifo $d/p; exec 3<>$d/p; rm -r $d; echo ready; cat <&3 3<&-; :'),
  ],
  ['who follows a file', bash('echo ready; exec tail -f /etc/passwd')],
  ['a server', node(SERVER)],
  ['a server that would notice the end of its input', node(`process.stdin.resume(); ${SERVER}`)],
  [
    'who accepts connections',
    python(
      'import socket; s = socket.create_server(("127.0.0.1", 0)); print("ready", flush=True); s.accept()',
    ),
  ],
  [
    'whose child reads what it would send',
    node('require("child_process").spawn("cat"); console.log("ready"); setInterval(() => 0, 1e6)'),
  ],
  ['who asks only for a time', bash('echo ready; read -t 1000 answer')],
  [
    'one of whose threads listens while another sleeps',
    python(
      'import sys, threading, time; print("ready", flush=True); threading.Thread(target=sys.stdin.read).start(); time.sleep(1000)',
    ),
  ],
])('nobody asks for input: %s', async (_, command) => {
  const { members } = await startWithPipe(command);
  await untilStill(members);
  expect(findInputWait(members())).toBeNull();
  expect(findInputWait(members(), { lastLine: () => 'Compiling 3 of 17\n' })).toBeNull();
  expect(findInputWait(members(), { arch: 'none' }), 'where the call is not shown').toBeNull();
});

test.each([
  ['a server that also reads its input', node(`process.stdin.resume(); ${SERVER}`)],
  ['who asks only for a time', bash('echo ready; read -t 1000 answer')],
])('where there is doubt the last line decides: %s', async (_, command) => {
  const { members } = await startWithPipe(command);
  await untilStill(members);
  expect(findInputWait(members(), { lastLine: () => 'Delete everything? [y/N] ' })).toMatchObject({
    descriptor: 0,
    lastLine: 'Delete everything? [y/N] ',
  });
});

test('a process that computes does not wait for input, whatever its last line looks like', async () => {
  const { members } = await startWithPipe(bash('echo ready; while :; do :; done'));
  for (let look = 0; look < 50; look += 1)
    expect(findInputWait(members(), { lastLine: () => 'Name: ' })).toBeNull();
});

test('a stopped process does not wait for input; a continued one does again, also in a restarted call', async () => {
  const poll =
    'import select; print("ready", flush=True); p = select.poll(); p.register(0, select.POLLIN); p.poll()';
  const { pid, members } = await startWithPipe(python(poll));
  const isWaiting = (): boolean => findInputWait(members()) !== null;
  await vi.waitFor(() => expect(isWaiting()).toBe(true), { timeout: 20_000 });
  process.kill(pid, 'SIGSTOP');
  await vi.waitFor(() => expect(members()[0]?.state).toBe('T'), { timeout: 20_000 });
  expect(isWaiting()).toBe(false);
  process.kill(pid, 'SIGCONT');
  await vi.waitFor(() => expect(isWaiting()).toBe(true), { timeout: 20_000 });
});

test('a sleep that is taken up again is still a sleep', async () => {
  const { pid, members } = await startWithPipe(bash('echo ready; exec sleep 1000'));
  await untilStill(members);
  process.kill(pid, 'SIGSTOP');
  await vi.waitFor(() => expect(members()[0]?.state).toBe('T'), { timeout: 20_000 });
  process.kill(pid, 'SIGCONT');
  await vi.waitFor(() => expect(members()[0]?.state).toBe('S'), { timeout: 20_000 });
  expect(findInputWait(members(), { lastLine: () => 'Name: ' })).toBeNull();
});

test.each(['/dev/null', '/dev/zero', '/etc/passwd'])('input from %s is never waited for', async (path) => {
  const { members } = await startWithPipe(bash(`exec <${path}; echo ready; sleep 1000`));
  await untilStill(members);
  expect(findInputWait(members(), { lastLine: () => 'Name: ' })).toBeNull();
});

test.each([
  ['who sleeps', bash('echo ready; exec sleep 1000')],
  ['who follows a file', bash('echo ready; exec tail -f /etc/passwd')],
  ['a server', node(SERVER)],
  [
    'who watches the terminal from the background',
    bash(
      'set -m; python3 -c "import select; print(\'ready\', flush=True); select.select([0], [], [])" & sleep 1000',
    ),
  ],
  [
    'who holds the other side of a terminal',
    python('import os, pty; m, s = pty.openpty(); print("ready", flush=True); os.read(m, 1)'),
  ],
])('on a terminal, too, nobody asks: %s', async (_, command) => {
  const { members } = await startOnTerminal(command);
  await untilStill(members);
  expect(findInputWait(members())).toBeNull();
});
