import { readProcText } from '../process/proc-reader.ts';

/** The argument of a system call that holds its timeout. */
interface CallTimeout {
  readonly argument: number;
  /** A number, where a negative one means no timeout; or a pointer, where NULL means no timeout. */
  readonly form: 'number' | 'pointer';
}

/** What a system call waits for, and the arguments that hold it. */
type CallShape =
  | { readonly kind: 'read'; readonly descriptor: number }
  | { readonly kind: 'poll' | 'select' | 'epoll'; readonly limit: CallTimeout }
  /** A `poll` or a sleep that was restarted after SIGSTOP and SIGCONT. */
  | { readonly kind: 'restart' }
  /** Waits for another thread or a signal. */
  | { readonly kind: 'idle' };

/** The system call in which a thread is blocked. */
export interface SystemCall {
  readonly shape: CallShape | null;
  readonly arguments: readonly bigint[];
}

const READ: CallShape = { kind: 'read', descriptor: 0 };
const IDLE: CallShape = { kind: 'idle' };
const SHAPES = {
  read: READ,
  readv: READ,
  pread64: READ,
  preadv: READ,
  preadv2: READ,
  recvfrom: READ,
  recvmsg: READ,
  recvmmsg: READ,
  splice: READ,
  tee: READ,
  sendfile: { kind: 'read', descriptor: 1 },
  poll: { kind: 'poll', limit: { argument: 2, form: 'number' } },
  ppoll: { kind: 'poll', limit: { argument: 2, form: 'pointer' } },
  select: { kind: 'select', limit: { argument: 4, form: 'pointer' } },
  pselect6: { kind: 'select', limit: { argument: 4, form: 'pointer' } },
  epoll_wait: { kind: 'epoll', limit: { argument: 3, form: 'number' } },
  epoll_pwait: { kind: 'epoll', limit: { argument: 3, form: 'number' } },
  epoll_pwait2: { kind: 'epoll', limit: { argument: 3, form: 'pointer' } },
  restart_syscall: { kind: 'restart' },
  futex: IDLE,
  futex_waitv: IDLE,
  rt_sigtimedwait: IDLE,
} satisfies Readonly<Record<string, CallShape>>;

type CallNumbers = Readonly<Partial<Record<keyof typeof SHAPES, number>>>;

/** System call numbers by architecture, as Node names it. */
const CALL_NUMBERS: Readonly<Record<string, CallNumbers>> = {
  x64: {
    read: 0,
    readv: 19,
    pread64: 17,
    preadv: 295,
    preadv2: 327,
    recvfrom: 45,
    recvmsg: 47,
    recvmmsg: 299,
    splice: 275,
    tee: 276,
    sendfile: 40,
    poll: 7,
    ppoll: 271,
    select: 23,
    pselect6: 270,
    epoll_wait: 232,
    epoll_pwait: 281,
    epoll_pwait2: 441,
    restart_syscall: 219,
    futex: 202,
    futex_waitv: 449,
    rt_sigtimedwait: 128,
  },
  arm64: {
    read: 63,
    readv: 65,
    pread64: 67,
    preadv: 69,
    preadv2: 286,
    recvfrom: 207,
    recvmsg: 212,
    recvmmsg: 243,
    splice: 76,
    tee: 77,
    sendfile: 71,
    ppoll: 73,
    pselect6: 72,
    epoll_pwait: 22,
    epoll_pwait2: 441,
    restart_syscall: 128,
    futex: 98,
    futex_waitv: 449,
    rt_sigtimedwait: 137,
  },
};

const STACK_POINTER = 6;
/** A stack pointer below this belongs to a 32-bit program, whose system calls have other numbers. */
const WORD_LIMIT = 1n << 32n;

/**
 * Reads the system call in which a thread is blocked. Its shape is `null` for a running thread or a call
 * outside the table.
 * The result is `null` without permission, or on an unknown architecture.
 */
export function readSystemCall(thread: string, arch: string): SystemCall | null {
  const numbers = CALL_NUMBERS[arch];
  const text = numbers === undefined ? null : readProcText(`${thread}/syscall`);
  if (numbers === undefined || text === null || text === '') return null;
  const [number = '', ...words] = text.trim().split(' ');
  const values = words.filter((word) => word.startsWith('0x')).map(BigInt);
  const pointer = values[STACK_POINTER];
  // `running` (on a processor) and `-1` (in no system call) come without arguments.
  if (pointer === undefined || pointer < WORD_LIMIT) return { shape: null, arguments: [] };
  return { shape: callShapeOf(Number(number), numbers), arguments: values };
}

/** Whether the call has no timeout. */
export function waitsForever({ argument, form }: CallTimeout, call: SystemCall): boolean {
  const value = call.arguments[argument] ?? 0n;
  return form === 'pointer' ? value === 0n : BigInt.asIntN(32, value) < 0n;
}

function callShapeOf(number: number, numbers: CallNumbers): CallShape | null {
  const names = Object.keys(SHAPES) as (keyof typeof SHAPES)[];
  const name = names.find((each) => numbers[each] === number);
  return name === undefined ? null : SHAPES[name];
}
