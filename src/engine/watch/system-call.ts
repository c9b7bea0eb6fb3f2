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
  | { readonly kind: 'poll' | 'select' | 'epoll'; readonly timeout: CallTimeout }
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
const SELECT: CallShape = { kind: 'select', timeout: { argument: 4, form: 'pointer' } };
const EPOLL: CallShape = { kind: 'epoll', timeout: { argument: 3, form: 'number' } };

/** A system call with its number per architecture, as Node names it; `null` where it does not exist. */
interface CallRow {
  readonly shape: CallShape;
  readonly x64: number;
  readonly arm64: number | null;
}

const CALLS: Readonly<Record<string, CallRow>> = {
  read: { x64: 0, arm64: 63, shape: READ },
  readv: { x64: 19, arm64: 65, shape: READ },
  pread64: { x64: 17, arm64: 67, shape: READ },
  preadv: { x64: 295, arm64: 69, shape: READ },
  preadv2: { x64: 327, arm64: 286, shape: READ },
  recvfrom: { x64: 45, arm64: 207, shape: READ },
  recvmsg: { x64: 47, arm64: 212, shape: READ },
  recvmmsg: { x64: 299, arm64: 243, shape: READ },
  splice: { x64: 275, arm64: 76, shape: READ },
  tee: { x64: 276, arm64: 77, shape: READ },
  sendfile: { x64: 40, arm64: 71, shape: { kind: 'read', descriptor: 1 } },
  poll: { x64: 7, arm64: null, shape: { kind: 'poll', timeout: { argument: 2, form: 'number' } } },
  ppoll: { x64: 271, arm64: 73, shape: { kind: 'poll', timeout: { argument: 2, form: 'pointer' } } },
  select: { x64: 23, arm64: null, shape: SELECT },
  pselect6: { x64: 270, arm64: 72, shape: SELECT },
  epoll_wait: { x64: 232, arm64: null, shape: EPOLL },
  epoll_pwait: { x64: 281, arm64: 22, shape: EPOLL },
  epoll_pwait2: { x64: 441, arm64: 441, shape: { kind: 'epoll', timeout: { argument: 3, form: 'pointer' } } },
  restart_syscall: { x64: 219, arm64: 128, shape: { kind: 'restart' } },
  futex: { x64: 202, arm64: 98, shape: IDLE },
  futex_waitv: { x64: 449, arm64: 449, shape: IDLE },
  rt_sigtimedwait: { x64: 128, arm64: 137, shape: IDLE },
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
  if (arch !== 'x64' && arch !== 'arm64') return null;
  const text = readProcText(`${thread}/syscall`);
  if (text === null || text === '') return null;
  const [number = '', ...words] = text.trim().split(' ');
  const values = words.filter((word) => word.startsWith('0x')).map(BigInt);
  const pointer = values[STACK_POINTER];
  // `running` (on a processor) and `-1` (in no system call) come without arguments.
  if (pointer === undefined || pointer < WORD_LIMIT) return { shape: null, arguments: [] };
  const call = Object.values(CALLS).find((each) => each[arch] === Number(number));
  return { shape: call?.shape ?? null, arguments: values };
}

/** Whether the call has no timeout. */
export function waitsForever({ argument, form }: CallTimeout, call: SystemCall): boolean {
  const value = call.arguments[argument] ?? 0n;
  return form === 'pointer' ? value === 0n : BigInt.asIntN(32, value) < 0n;
}
