import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findInputWait } from '../../../../../src/engine/watch/input-wait.ts';
import { type FakeProcess, fakeProc } from '../../../../helpers/fake-proc.ts';
import { temporaryDirectory } from '../../../../helpers/temporary-directory.ts';

/** Numbers that no process can have. */
const [A, B] = [90_000_001, 90_000_002];
const PROMPT = 'Name: ';

/** A blocked call as `/proc` writes it: number, six arguments, stack, place. */
function call(number: number, ...values: readonly (number | string)[]): string {
  const six = [...values, 0, 0, 0, 0, 0, 0].slice(0, 6);
  const words = six.map((value) => (typeof value === 'string' ? value : `0x${value.toString(16)}`));
  return [number, ...words, '0x7ffd7c431d38', '0x7f78e3e8a2ad'].join(' ');
}

/** One process with one thread. */
function one(syscall: string | undefined, more: Partial<FakeProcess> = {}, wchan?: string): FakeProcess {
  const thread = { ...(syscall === undefined ? {} : { syscall }), ...(wchan === undefined ? {} : { wchan }) };
  return { pid: A, fds: { 0: 'pipe:[7]' }, threads: { [A]: thread }, ...more };
}

interface Look {
  readonly arch?: string;
  readonly lastLine?: string;
}

function look(processes: readonly FakeProcess[], { arch = 'x64', lastLine = '' }: Look = {}): number | null {
  const { root, members } = fakeProc(processes);
  return findInputWait(members, { root, arch, lastLine: () => lastLine })?.descriptor ?? null;
}

const ENDLESS = '0xffffffff';
const EPOLL = { 0: 'pipe:[7]', 3: 'anon_inode:[eventpoll]', 4: 'anon_inode:[eventfd]', 5: 'socket:[8]' };

/** An array of `struct pollfd` at address 16. */
function pollSet(entries: readonly (readonly [fd: number, events: number])[]): Buffer {
  const bytes = Buffer.alloc(16 + entries.length * 8);
  entries.forEach(([fd, events], index) => {
    bytes.writeInt32LE(fd, 16 + index * 8);
    bytes.writeInt16LE(events, 20 + index * 8);
  });
  return bytes;
}

describe('the call', () => {
  test.each([
    ['x64', 0],
    ['x64', 19],
    ['x64', 17],
    ['x64', 45],
    ['x64', 275],
    ['arm64', 63],
    ['arm64', 65],
    ['arm64', 67],
    ['arm64', 207],
    ['arm64', 76],
  ])('on %s number %d with descriptor 0 reads it', (arch, number) => {
    expect(look([one(call(number, 0))], { arch })).toBe(0);
    expect(look([one(call(number, 3))], { arch })).toBeNull();
  });

  test.each([
    ['x64', 40],
    ['arm64', 71],
  ])('on %s number %d has what it reads in its second argument', (arch, number) => {
    expect(look([one(call(number, 1, 0))], { arch })).toBe(0);
    expect(look([one(call(number, 0, 3))], { arch })).toBeNull();
  });

  test.each([
    ['running', 'running'],
    ['in no call', '-1 0x7ffd7c431d38 0x7f78e3e8a2ad'],
    ['in a call of another kind', call(61, 0)],
    ['of a 32-bit program', '0 0x0 0x0 0x0 0x0 0x0 0x0 0xffd31d38 0xf7e8a2ad'],
    ['nothing at all', ''],
  ])('%s is no wait for input', (_, syscall) => {
    expect(look([one(syscall)], { lastLine: PROMPT })).toBeNull();
  });

  test('a descriptor that leads where standard input leads is standard input', () => {
    expect(look([one(call(0, 9), { fds: { 0: 'pipe:[7]', 9: 'pipe:[7]' } })])).toBe(9);
  });

  test('a process that may not be seen, or is gone, waits for nothing', () => {
    expect(look([one(call(0, 0), { fds: null })], { lastLine: PROMPT })).toBeNull();
    expect(findInputWait([], {})).toBeNull();
    const { members } = fakeProc([one(call(0, 0))]);
    expect(findInputWait(members, { root: '/nowhere' })).toBeNull();
  });

  test('a terminal is input at any number; a closed one, a null device and the makers of terminals are not', () => {
    const at = (link: string): number | null => look([one(call(0, 5), { fds: { 0: 'pipe:[7]', 5: link } })]);
    expect(at('/dev/tty')).toBe(5);
    expect(at('/dev/null')).toBeNull();
    expect(at('/dev/ptmx')).toBeNull();
    expect(look([one(call(0, 6))])).toBeNull();
  });

  test('a terminal is found though standard input is empty, and its path comes from the process', () => {
    const fds = { 0: '/dev/null', 4: '/dev/tty' };
    const { root, members } = fakeProc([one(call(0, 4), { fds, terminal: [(136 << 8) | 5, A] })]);
    expect(findInputWait(members, { root, arch: 'x64' })).toMatchObject({
      terminal: '/dev/pts/5',
      descriptor: 4,
    });
  });

  test('from the background of a terminal nothing is asked', () => {
    const fds = { 0: '/dev/tty' };
    expect(look([one(call(0, 0), { fds, terminal: [0x8805, B] })])).toBeNull();
    expect(look([one(call(0, 0), { fds, terminal: [0x8805, A] })])).toBe(0);
  });

  test('a named pipe is a pipe, a file is not', () => {
    const fifo = join(temporaryDirectory(), 'fifo');
    execFileSync('bash', ['-c', 'mkfifo "$0"', fifo]);
    expect(look([one(call(0, 0), { fds: { 0: fifo } })])).toBe(0);
    expect(look([one(call(0, 0), { fds: { 0: import.meta.filename } })])).toBeNull();
  });
});

describe('a loop', () => {
  const watching = (fds: readonly (readonly [number, string])[]): Partial<FakeProcess> => ({
    fds: EPOLL,
    epoll: { 3: fds },
  });

  test.each([
    ['x64', 232],
    ['x64', 281],
    ['arm64', 22],
  ])('on %s number %d waits for what it watches', (arch, number) => {
    const waits = (fds: readonly (readonly [number, string])[], limit: number | string): number | null =>
      look([one(call(number, 3, 1, 1, limit), watching(fds))], { arch });
    expect(
      waits(
        [
          [0, '19'],
          [4, '19'],
        ],
        ENDLESS,
      ),
    ).toBe(0);
    expect(waits([[0, '19']], 1000)).toBeNull();
    expect(
      waits(
        [
          [0, '19'],
          [5, '19'],
        ],
        ENDLESS,
      ),
    ).toBeNull();
    expect(
      waits(
        [
          [5, '19'],
          [4, '19'],
        ],
        ENDLESS,
      ),
    ).toBeNull();
    // For writing, or for errors only.
    expect(waits([[0, '1c']], ENDLESS)).toBeNull();
    expect(
      waits(
        [
          [0, '19'],
          [5, '1c'],
        ],
        ENDLESS,
      ),
    ).toBe(0);
  });

  test('a non-NULL timeout pointer is a timeout', () => {
    expect(look([one(call(441, 3, 1, 1, 0), watching([[0, '1']]))])).toBe(0);
    expect(look([one(call(441, 3, 1, 1, 64), watching([[0, '1']]))])).toBeNull();
  });

  test('an epoll descriptor that watches another one waits for what that one watches', () => {
    const fds = { ...EPOLL, 6: 'anon_inode:[eventpoll]' };
    expect(look([one(call(232, 6, 1, 1, ENDLESS), { fds, epoll: { 6: [[3, '1']], 3: [[0, '1']] } })])).toBe(
      0,
    );
  });

  test('what else it watches makes it doubtful, and then the last line decides', () => {
    const doubtful = [
      one(
        call(232, 3, 1, 1, ENDLESS),
        watching([
          [0, '19'],
          [5, '19'],
        ]),
      ),
    ];
    expect(look(doubtful, { lastLine: 'Listening on port 3000\n' })).toBeNull();
    expect(look(doubtful, { lastLine: PROMPT })).toBe(0);
  });

  test('a pipe whose other end the process holds itself does not count', () => {
    const fds = { ...EPOLL, 5: 'pipe:[9]', 6: 'pipe:[9]' };
    const process = (mode: 'r' | 'w'): FakeProcess =>
      one(call(232, 3, 1, 1, ENDLESS), {
        fds,
        modes: { 6: mode },
        epoll: {
          3: [
            [0, '1'],
            [5, '1'],
          ],
        },
      });
    expect(look([process('w')])).toBe(0);
    expect(look([process('r')])).toBeNull();
  });

  test.each([
    ['x64', 7, ENDLESS],
    ['x64', 271, 0],
    ['arm64', 73, 0],
  ])('on %s the set of number %d is read from memory', (arch, number, limit) => {
    const poll = (entries: readonly (readonly [number, number])[], count = entries.length): number | null =>
      look([one(call(number, 16, count, limit), { fds: EPOLL, memory: pollSet(entries) })], { arch });
    expect(poll([[0, 1]])).toBe(0);
    expect(
      poll([
        [4, 1],
        [-1, 1],
        [0, 1],
      ]),
    ).toBe(0);
    expect(
      poll([
        [5, 1],
        [0, 1],
      ]),
    ).toBeNull();
    // For writing only.
    expect(poll([[0, 4]])).toBeNull();
    expect(
      poll(
        [
          [5, 1],
          [0, 1],
        ],
        1,
      ),
    ).toBeNull();
    expect(poll([])).toBeNull();
  });

  test.each([
    ['x64', 23],
    ['x64', 270],
    ['arm64', 72],
  ])('on %s the set of number %d has a bit for each', (arch, number) => {
    const select = (bits: readonly number[], { count = 16, limit = 0 } = {}): number | null => {
      const memory = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, ...bits]);
      return look([one(call(number, count, 8, 0, 0, limit), { fds: EPOLL, memory })], { arch });
    };
    expect(select([1, 0])).toBe(0);
    expect(select([0b10000, 1])).toBeNull();
    expect(select([0b10001, 0])).toBe(0);
    expect(select([0b100001, 0])).toBeNull();
    expect(select([1, 0], { limit: 64 })).toBeNull();
    expect(select([1, 0], { count: 0 })).toBeNull();
  });
});

test('a restarted call is a poll only if the kernel function shows it', () => {
  const memory = pollSet([[0, 1]]);
  const restart = (wchan: string): number | null =>
    look([one(call(219, 16, 1, ENDLESS), { memory }, wchan)], { lastLine: PROMPT });
  expect(restart('poll_schedule_timeout.constprop.0')).toBe(0);
  expect(restart('hrtimer_nanosleep')).toBeNull();
});

describe('the neighbours', () => {
  const reader = one(call(0, 0), { parent: B });
  const neighbour = (more: Partial<FakeProcess>): FakeProcess => ({
    pid: B,
    fds: { 0: '/dev/null' },
    threads: {},
    ...more,
  });

  test('a pipe that a process of the run writes to is not input from outside', () => {
    expect(look([reader, neighbour({ fds: { 1: 'pipe:[7]' }, modes: { 1: 'w' } })])).toBeNull();
    expect(look([reader, neighbour({ fds: { 5: 'pipe:[7]' }, modes: { 5: 'rw' } })])).toBeNull();
  });

  test('a process that only reads the pipe, or has it as standard input, does not write to it', () => {
    expect(look([reader, neighbour({ fds: { 5: 'pipe:[7]' } })])).toBe(0);
    expect(look([reader, neighbour({ fds: { 0: 'pipe:[7]' }, modes: { 0: 'rw' } })])).toBe(0);
    expect(look([reader, neighbour({ fds: { 1: 'pipe:[8]' }, modes: { 1: 'w' } })])).toBe(0);
  });

  test('where a neighbour may not be seen, only what the run was started with is input', () => {
    expect(look([reader, neighbour({ fds: null })])).toBeNull();
    expect(look([{ ...reader, parent: 1 }, neighbour({ fds: null })])).toBe(0);
  });

  test('a socket is input only if the run was started with it', () => {
    const socket = { fds: { 0: 'socket:[7]' } };
    expect(look([{ ...reader, ...socket }, neighbour({})])).toBeNull();
    expect(look([{ ...reader, ...socket }, neighbour(socket)])).toBe(0);
  });
});

describe('the other threads', () => {
  const threads = (other: string): FakeProcess =>
    one(undefined, {
      fds: EPOLL,
      threads: { [A]: { syscall: other }, [B]: { syscall: call(0, 0) } },
      epoll: { 3: [[4, '1']] },
    });

  test.each([
    ['wait for each other', call(202, 1)],
    ['wait for a signal', call(128, 1)],
    ['are woken only by their own', call(232, 3, 1, 1, ENDLESS)],
    ['read the same', call(0, 0)],
  ])('that %s leave no doubt', (_, other) => {
    expect(look([threads(other)])).toBe(0);
  });

  test.each([
    ['run', 'running'],
    ['read something else', call(0, 5)],
    ['sleep for a time', call(230, 0)],
    ['wait for a child', call(61, 0)],
  ])('that %s make it doubtful', (_, other) => {
    expect(look([threads(other)])).toBeNull();
    expect(look([threads(other)], { lastLine: PROMPT })).toBe(0);
  });
});

describe('where the call is not shown', () => {
  test.each([
    ['pipe_read', { 0: 'pipe:[7]' }],
    ['anon_pipe_read', { 0: 'pipe:[7]', 1: '/dev/null' }],
    ['pipe_wait', { 0: 'pipe:[7]' }],
    ['wait_woken', { 0: '/dev/tty' }],
    ['n_tty_read', { 0: '/dev/tty' }],
    ['unix_stream_read_generic', { 0: 'socket:[7]' }],
  ])('%s and a single candidate are a wait', (wchan, fds) => {
    expect(look([one(undefined, { fds }, wchan)])).toBe(0);
    expect(look([one(call(0, 0), { fds }, wchan)], { arch: 'riscv64' })).toBe(0);
  });

  test.each([
    ['pipe_read', { 0: 'pipe:[7]', 3: 'pipe:[8]' }],
    ['wait_woken', { 0: '/dev/tty', 3: 'anon_inode:inotify' }],
    ['do_select', { 0: 'pipe:[7]', 3: 'socket:[8]' }],
    ['poll_schedule_timeout.constprop.0', { 0: 'pipe:[7]', 4: 'anon_inode:inotify' }],
    ['do_sys_poll', { 0: 'pipe:[7]' }],
  ])('%s and another candidate, or a limit that nobody sees, are doubtful', (wchan, fds) => {
    expect(look([one(undefined, { fds }, wchan)])).toBeNull();
    expect(look([one(undefined, { fds }, wchan)], { lastLine: PROMPT })).toBe(0);
  });

  test.each([
    ['hrtimer_nanosleep', { 0: 'pipe:[7]' }],
    ['do_wait', { 0: 'pipe:[7]' }],
    ['wait_woken', { 0: 'pipe:[7]' }],
    ['pipe_read', { 0: '/dev/tty' }],
    ['futex_wait_queue', { 0: 'pipe:[7]' }],
    ['inet_csk_accept', { 0: 'pipe:[7]' }],
    ['0', { 0: 'pipe:[7]' }],
  ])('%s is no wait for input', (wchan, fds) => {
    expect(look([one(undefined, { fds }, wchan)], { lastLine: PROMPT })).toBeNull();
  });

  test('the end of a pipe that is written to is no candidate', () => {
    const fds = { 0: 'pipe:[7]', 1: 'pipe:[8]' };
    expect(look([one(undefined, { fds, modes: { 1: 'w' } }, 'pipe_read')])).toBe(0);
  });

  test('what epoll watches is known all the same', () => {
    const at = (fds: readonly (readonly [number, string])[]): number | null =>
      look([one(undefined, { fds: EPOLL, epoll: { 3: fds } }, 'do_epoll_wait')], { lastLine: PROMPT });
    expect(
      at([
        [0, '19'],
        [4, '19'],
      ]),
    ).toBe(0);
    expect(at([[5, '19']])).toBeNull();
  });

  test('memory that may not be read leaves the kind of the call', () => {
    const poll = (fds: Readonly<Record<number, string>>): number | null =>
      look([one(call(7, 16, 1, ENDLESS), { fds }, 'do_sys_poll')]);
    expect(poll({ 0: 'pipe:[7]' })).toBe(0);
    expect(poll({ 0: 'pipe:[7]', 5: 'socket:[8]' })).toBeNull();
  });
});

test('the youngest process is reported: its ancestors wait for it', () => {
  const older = one(call(0, 0));
  const younger: FakeProcess = { ...older, pid: B, parent: A, threads: { [B]: { syscall: call(0, 0) } } };
  const { root, members } = fakeProc([older, younger]);
  expect(findInputWait(members, { root, arch: 'x64' })).toMatchObject({
    pid: B,
    thread: B,
    scheduleCount: null,
    command: 'a ) b',
  });
});

test('one that waits without doubt goes before a younger one that may', () => {
  const older = one(call(0, 0));
  const younger: FakeProcess = {
    ...older,
    pid: B,
    parent: A,
    threads: { [B]: { syscall: 'running' }, [A]: { syscall: call(0, 0) } },
  };
  const { root, members } = fakeProc([older, younger]);
  expect(findInputWait(members, { root, arch: 'x64', lastLine: () => PROMPT })).toMatchObject({ pid: A });
});

test('the last line is requested only if a process may wait for input', () => {
  let asked = 0;
  const lastLine = (): string => String(asked++);
  const { root, members } = fakeProc([one('running')]);
  findInputWait(members, { root, arch: 'x64', lastLine });
  expect(asked).toBe(0);
});
