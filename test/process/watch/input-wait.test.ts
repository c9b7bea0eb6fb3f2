import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  findInputWait,
  type InputWait,
  type InputWaitOptions,
  isSameInputWait,
} from '../../../src/engine/watch/input-wait.ts';
import { type Blocked, startOnTerminal, startWithPipe, treeOf, untilStill } from '../../helpers/blocked.ts';

const bash = (script: string): string[] => ['bash', '-c', script];
const python = (script: string): string[] => ['python3', '-c', script];
const node = (script: string): string[] => [process.execPath, '-e', script];

const READLINE =
  'console.log("ready"); require("readline").createInterface({input: process.stdin}).question("x", () => 0)';

/** Not every kernel tells where a process sleeps. */
const SHOWS_PLACES = /[a-z]/.test(readFileSync(`/proc/${process.ppid}/wchan`, 'latin1'));

async function wait({ members }: Blocked, options?: InputWaitOptions): Promise<InputWait> {
  const found = await vi.waitUntil(() => findInputWait(members(), options), {
    timeout: 20_000,
    interval: 10,
  });
  return found as InputWait;
}

test.each([
  ['cat', bash('echo ready; exec cat')],
  ['the `read` of a shell', bash('echo ready; read answer')],
  ['a hidden `read` of a shell', bash('echo ready; read -s answer')],
  ['python `input()`', python('print("ready", flush=True); input()')],
  [
    'a python loop on epoll with a socket pair of its own',
    python(`
import asyncio, sys
async def main():
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    print("ready", flush=True)
    await reader.readline()
asyncio.run(main())`),
  ],
  [
    'python `poll`',
    python(
      'import select; print("ready", flush=True); p = select.poll(); p.register(0, select.POLLIN); p.poll()',
    ),
  ],
  ['python `select`', python('import select; print("ready", flush=True); select.select([0], [], [])')],
  [
    'a python thread',
    python(
      'import threading, sys; print("ready", flush=True); t = threading.Thread(target=sys.stdin.read); t.start(); t.join()',
    ),
  ],
  ['node readline', node(READLINE)],
  ['perl', ['perl', '-e', '$| = 1; print "ready\\n"; my $line = <STDIN>']],
  ['the second of two commands', bash('echo ready; true | cat; head -n 1')],
])('%s on a pipe that we hold waits for input', async (_, command) => {
  const blocked = await startWithPipe(command);
  const found = await wait(blocked);
  expect(found).toMatchObject({ descriptor: 0, input: 'pipe', terminal: null, echoOff: false });
  expect(blocked.members().map(({ pid }) => pid)).toContain(found.pid);
  // The same from the place in the kernel alone, as where the call is not shown. What else was left open to us makes it doubtful.
  if (!SHOWS_PLACES) return;
  expect(findInputWait(blocked.members(), { arch: 'none', lastLine: () => 'Name: ' })).toMatchObject({
    pid: found.pid,
    descriptor: 0,
  });
});

test.each([
  ['a shell', bash('echo ready; read answer'), 0],
  ['a shell that edits the line', bash('echo ready; read -e answer'), 0],
  ['python', python('print("ready", flush=True); input()'), 0],
  ['node', node(READLINE), expect.any(Number)],
  [
    'what opens /dev/tty though its input is empty',
    bash('echo ready; read answer 3</dev/tty <&3 4</dev/null'),
    0,
  ],
  [
    'a password prompt that opens /dev/tty',
    python('import getpass; print("ready", flush=True); getpass.getpass()'),
    3,
  ],
])('on a terminal %s waits for input', async (_, command, descriptor) => {
  const found = await wait(await startOnTerminal(command));
  expect(found).toMatchObject({
    descriptor,
    input: 'terminal',
    terminal: expect.stringMatching(/^\/dev\/pts\/\d+$/),
  });
});

test('a pipe that is open for both at standard input is input, though the reader itself could write to it', async () => {
  const blocked = await startWithPipe(bash('exec 0<>/dev/fd/0; echo ready; cat'));
  expect(await wait(blocked)).toMatchObject({ input: 'pipe', command: 'cat' });
});

test('a socket is input for the process that was started with it, and for processes that inherit it', async () => {
  const child = spawn('bash', ['-c', 'cat; true'], { stdio: ['pipe', 'ignore', 'inherit'] });
  onTestFinished(async () => {
    child.stdin?.end();
    await once(child, 'exit');
  });
  const found = await wait({ members: () => treeOf(child.pid ?? 0) } as Blocked);
  expect(found).toMatchObject({ input: 'socket', command: 'cat', descriptor: 0 });
});

test('a process that reads from a process outside the run waits for input', async () => {
  const { members } = await startWithPipe(bash('echo ready; sleep 1000 | cat'));
  await untilStill(members);
  const reader = members().filter(({ name }) => name === 'cat');
  expect(findInputWait(members())).toBeNull();
  expect(findInputWait(reader)).toMatchObject({ command: 'cat' });
});

test('two looks at one wait are the same wait; once it was answered the next one is another', async () => {
  const blocked = await startWithPipe(bash('echo ready; read first; echo "got $first"; read second'));
  const first = await wait(blocked);
  expect(isSameInputWait(first, await wait(blocked))).toBe(true);
  blocked.send('something\n');
  await vi.waitFor(() => expect(blocked.output()).toContain('got something'), { timeout: 20_000 });
  expect(isSameInputWait(first, await wait(blocked))).toBe(false);
});

test('the hook for hidden input is asked about the terminal, and not about a pipe', async () => {
  const asked: (string | null)[] = [];
  const isEchoOff = (terminal: string | null): boolean => asked.push(terminal) > 0;
  const piped = await wait(await startWithPipe(bash('echo ready; read -s x')), { isEchoOff });
  expect([piped.echoOff, asked]).toEqual([false, []]);
  const typed = await wait(await startOnTerminal(bash('echo ready; read -s x </dev/tty')), { isEchoOff });
  expect(typed).toMatchObject({ echoOff: true, terminal: asked[0] });
  expect(asked[0]).toMatch(/^\/dev\/pts\/\d+$/);
});

test('the last line is given back as the caller knows it', async () => {
  const blocked = await startWithPipe(bash('echo ready; read -r x'));
  expect(await wait(blocked, { lastLine: () => 'Your name: ' })).toMatchObject({ lastLine: 'Your name: ' });
});
