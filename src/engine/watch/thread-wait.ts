import { closeSync, openSync, readSync } from 'node:fs';
import { readProcText } from '../process/proc-reader.ts';
import type { DescriptorKind, ProcessDescriptors } from './process-descriptors.ts';
import { readSystemCall, type SystemCall, waitsForever } from './system-call.ts';

/** What a thread waits for. `idle`: only for its own process. `other`: it runs, or waits for something else. */
export type ThreadWait =
  | { readonly kind: 'descriptors'; readonly fds: readonly number[]; readonly endless: boolean }
  | { readonly kind: 'idle' }
  | { readonly kind: 'other' };

/** A process whose threads are examined. */
interface WatchedProcess {
  /** The directory of the process in `/proc`. */
  readonly directory: string;
  readonly descriptors: ProcessDescriptors;
  readonly arch: string;
}

const OTHER_WAIT: ThreadWait = { kind: 'other' };
const IDLE_WAIT: ThreadWait = { kind: 'idle' };

/** Finds out what a thread is blocked in. */
export function readThreadWait(process: WatchedProcess, tid: number): ThreadWait {
  const thread = `${process.directory}/task/${tid}`;
  const call = readSystemCall(thread, process.arch);
  if (call === null) return waitFromKernel(process, thread);
  return waitFromCall(call, { process, thread });
}

function waitFromCall(call: SystemCall, at: { process: WatchedProcess; thread: string }): ThreadWait {
  const { shape } = call;
  if (shape === null) return OTHER_WAIT;
  if (shape.kind === 'idle') return IDLE_WAIT;
  if (shape.kind === 'read') return descriptorWait([toDescriptor(call, shape.descriptor)]);
  if (shape.kind === 'restart') return waitFromRestart(call, at);
  const { descriptors } = at.process;
  // If the memory that holds the set cannot be read, every descriptor that could be in it counts.
  const fds = polledDescriptors(call, at.process) ?? candidateDescriptors('poll', descriptors);
  return descriptorWait(expandEpoll(fds, descriptors), waitsForever(shape.timeout, call));
}

function polledDescriptors(call: SystemCall, { directory }: WatchedProcess): number[] | null {
  const [first = 0n, second = 0n] = call.arguments;
  const place = (address: bigint): MemoryAddress => ({ process: directory, address });
  if (call.shape?.kind === 'epoll') return [Number(first)];
  if (call.shape?.kind === 'select') return readSelectSet(place(second), Number(first));
  return readPollSet(place(first), Number(second));
}

/** The arguments are those of the interrupted call; the kernel function shows which call that was. */
function waitFromRestart(
  call: SystemCall,
  { process, thread }: { process: WatchedProcess; thread: string },
): ThreadWait {
  if (readKernelWait(thread) !== 'poll') return OTHER_WAIT;
  const [address = 0n, count = 0n] = call.arguments;
  const fds = readPollSet({ process: process.directory, address }, Number(count));
  return fds === null ? OTHER_WAIT : descriptorWait(fds, toDescriptor(call, 2) < 0);
}

/** The kernel function does not show the timeout, and a process that polls may have one. */
function waitFromKernel({ descriptors }: WatchedProcess, thread: string): ThreadWait {
  const place = readKernelWait(thread);
  if (place === 'idle' || place === 'other') return { kind: place };
  const endless = place !== 'poll' && place !== 'epoll';
  return descriptorWait(expandEpoll(candidateDescriptors(place, descriptors), descriptors), endless);
}

/** Replaces each epoll descriptor by the descriptors it watches. They may be nested; Linux allows no cycle. */
function expandEpoll(fds: readonly number[], descriptors: ProcessDescriptors): number[] {
  return fds.flatMap((fd) => {
    if (descriptors.kind(fd) !== 'epoll') return fd;
    return expandEpoll(descriptors.watchedBy(fd), descriptors);
  });
}

function descriptorWait(fds: readonly number[], endless = true): ThreadWait {
  return { kind: 'descriptors', fds: [...new Set(fds)], endless };
}

function toDescriptor(call: SystemCall, argument: number): number {
  return Number(BigInt.asIntN(32, call.arguments[argument] ?? -1n));
}

/** The kind of descriptor a thread waits for, as far as the kernel function shows it. */
type KernelWaitKind = 'pipe' | 'terminal' | 'socket' | 'poll' | 'epoll' | 'idle' | 'other';

/** Names of kernel functions since Linux 4.4. The order matters: `do_epoll_wait` also contains `poll`. */
const WAIT_CHANNELS: readonly (readonly [RegExp, KernelWaitKind])[] = [
  [/epoll|^ep_/, 'epoll'],
  [/poll|select/, 'poll'],
  [/pipe_(read|wait)/, 'pipe'],
  [/wait_woken|tty_read/, 'terminal'],
  [/unix_stream|skb_wait|sk_wait/, 'socket'],
  [/futex/, 'idle'],
];

/**
 * Reads the kernel function in which a thread sleeps (`wchan`).
 *
 * It is coarser than the system call, but readable where Linux shows the system call only to a parent.
 */
function readKernelWait(thread: string): KernelWaitKind {
  const name = readProcText(`${thread}/wchan`) ?? '';
  return WAIT_CHANNELS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
}

/** All descriptors of a process that fit the kernel function: `wchan` does not show which one it is. */
function candidateDescriptors(place: KernelWaitKind, descriptors: ProcessDescriptors): number[] {
  const fits = FITS[place];
  return (descriptors.all() ?? []).filter(
    (fd) => fits(descriptors.kind(fd), descriptors.link(fd)) && descriptors.canRead(fd),
  );
}

type FitsWait = (kind: DescriptorKind, link: string | null) => boolean;

const POLLED: readonly DescriptorKind[] = ['pipe', 'terminal', 'socket', 'epoll', 'wakeup'];
const FITS: Readonly<Record<KernelWaitKind, FitsWait>> = {
  idle: () => false,
  other: () => false,
  pipe: (kind) => kind === 'pipe',
  socket: (kind) => kind === 'socket',
  // inotify descriptors wait in the same kernel function.
  terminal: (kind, link) => kind === 'terminal' || isAnonymous(link),
  epoll: (kind) => kind === 'epoll',
  poll: (kind, link) => POLLED.includes(kind) || isAnonymous(link),
};

function isAnonymous(link: string | null): boolean {
  return link?.startsWith('anon_inode:') ?? false;
}

const POLLFD_BYTES = 8;
/** POLLIN, POLLPRI, POLLRDNORM and POLLRDBAND. */
const POLL_READ_EVENTS = 0x1 | 0x2 | 0x40 | 0x80;
/** More than any program waits for at a time; further descriptors are ignored. */
const MAX_DESCRIPTORS = 4096;

interface MemoryAddress {
  /** The directory of the process in `/proc`. */
  readonly process: string;
  readonly address: bigint;
}

/** The descriptors of a `struct pollfd` array that are watched for reading; `null` without permission. */
function readPollSet(place: MemoryAddress, count: number): number[] | null {
  const bytes = readMemory(place, Math.min(count, MAX_DESCRIPTORS) * POLLFD_BYTES);
  if (bytes === null) return null;
  const found: number[] = [];
  for (let at = 0; at < bytes.length; at += POLLFD_BYTES) {
    const fd = bytes.readInt32LE(at);
    if ((bytes.readInt16LE(at + 4) & POLL_READ_EVENTS) !== 0) found.push(fd);
  }
  return found;
}

/** The descriptors of an `fd_set`; `null` without permission. */
function readSelectSet(place: MemoryAddress, count: number): number[] | null {
  const bytes = readMemory(place, Math.ceil(Math.min(count, MAX_DESCRIPTORS) / 8));
  if (bytes === null) return null;
  const found: number[] = [];
  for (let fd = 0; fd < count; fd += 1) if (((bytes[fd >> 3] ?? 0) >> (fd & 7)) & 1) found.push(fd);
  return found;
}

function readMemory({ process, address }: MemoryAddress, length: number): Buffer | null {
  // The set may be NULL.
  if (address === 0n || length <= 0) return Buffer.alloc(0);
  const bytes = Buffer.alloc(length);
  let fd: number | undefined;
  try {
    fd = openSync(`${process}/mem`, 'r');
    return readSync(fd, bytes, 0, length, address) === length ? bytes : null;
  } catch {
    return null;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
