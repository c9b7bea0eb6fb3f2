import { closeSync, openSync, readSync } from 'node:fs';
import { readProcText } from '../process/proc-reader.ts';
import type { DescriptorKind, ProcessDescriptors } from './process-descriptors.ts';
import { readSystemCall, type SystemCall, waitsForever } from './system-call.ts';

/** What a thread is waiting for. `idle`: for its own process only. `other`: it runs, or waits for something else. */
export type ThreadWait =
  | { readonly kind: 'descriptors'; readonly fds: readonly number[]; readonly endless: boolean }
  | { readonly kind: 'idle' }
  | { readonly kind: 'other' };

/** A process as it is being looked at. */
export interface WatchedProcess {
  /** Its directory in `/proc`. */
  readonly directory: string;
  readonly descriptors: ProcessDescriptors;
  readonly arch: string;
}

const OTHER_WAIT: ThreadWait = { kind: 'other' };
const IDLE_WAIT: ThreadWait = { kind: 'idle' };

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
  // Where the set is in memory that is not ours to read, everything that could be in it is.
  const fds = polledDescriptors(call, at.process) ?? candidateDescriptors('poll', descriptors);
  return descriptorWait(expandEpoll(fds, descriptors), waitsForever(shape.limit, call));
}

function polledDescriptors(call: SystemCall, { directory }: WatchedProcess): number[] | null {
  const [first = 0n, second = 0n] = call.arguments;
  const place = (address: bigint): MemoryAddress => ({ process: directory, address });
  if (call.shape?.kind === 'epoll') return [Number(first)];
  if (call.shape?.kind === 'select') return readSelectSet(place(second), Number(first));
  return readPollSet(place(first), Number(second));
}

/** Its arguments are still those of the call that was interrupted; the kernel's place says which that was. */
function waitFromRestart(
  call: SystemCall,
  { process, thread }: { process: WatchedProcess; thread: string },
): ThreadWait {
  if (readKernelWait(thread) !== 'poll') return OTHER_WAIT;
  const [address = 0n, count = 0n] = call.arguments;
  const fds = readPollSet({ process: process.directory, address }, Number(count));
  return fds === null ? OTHER_WAIT : descriptorWait(fds, toDescriptor(call, 2) < 0);
}

/** Where it sleeps does not say for how long: who watches several things may go on by itself. */
function waitFromKernel({ descriptors }: WatchedProcess, thread: string): ThreadWait {
  const place = readKernelWait(thread);
  if (place === 'idle' || place === 'other') return { kind: place };
  const endless = place !== 'poll' && place !== 'epoll';
  return descriptorWait(expandEpoll(candidateDescriptors(place, descriptors), descriptors), endless);
}

/** Instead of an epoll descriptor, those that it watches. They may watch each other, but Linux allows no circle. */
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

/** Where in the kernel a thread sleeps, as far as it says what kind of thing it waits for. */
type KernelWaitKind = 'pipe' | 'terminal' | 'socket' | 'poll' | 'epoll' | 'idle' | 'other';

/** By the names of functions that kernels since 4.4 show, in this order: `do_epoll_wait` polls in its own way. */
const WAIT_CHANNELS: readonly (readonly [RegExp, KernelWaitKind])[] = [
  [/epoll|^ep_/, 'epoll'],
  [/poll|select/, 'poll'],
  [/pipe_(read|wait)/, 'pipe'],
  [/wait_woken|tty_read/, 'terminal'],
  [/unix_stream|skb_wait|sk_wait/, 'socket'],
  [/futex/, 'idle'],
];

/**
 * Where in the kernel a thread sleeps, by the name of the function.
 *
 * Coarser than its system call, but shown where the call is not: Linux may let only a parent see that.
 */
export function readKernelWait(thread: string): KernelWaitKind {
  const name = readProcText(`${thread}/wchan`) ?? '';
  return WAIT_CHANNELS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
}

/** A place names a kind of thing: all that the process has of it are candidates, and nobody knows which it is. */
export function candidateDescriptors(place: KernelWaitKind, descriptors: ProcessDescriptors): number[] {
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
  // The same function serves those who wait for changes of files.
  terminal: (kind, link) => kind === 'terminal' || isAnonymous(link),
  epoll: (kind) => kind === 'epoll',
  poll: (kind, link) => POLLED.includes(kind) || isAnonymous(link),
};

function isAnonymous(link: string | null): boolean {
  return link?.startsWith('anon_inode:') ?? false;
}

const POLLFD_BYTES = 8;
/** Data to read, of any priority. */
const POLL_READ_EVENTS = 0x1 | 0x2 | 0x40 | 0x80;
/** More than any program waits for at a time; what is beyond is not looked at. */
const MAX_DESCRIPTORS = 4096;

export interface MemoryAddress {
  /** The process's directory in `/proc`. */
  readonly process: string;
  readonly address: bigint;
}

/** The descriptors of a `struct pollfd` array that are watched for something to read; `null`: we may not see it. */
export function readPollSet(place: MemoryAddress, count: number): number[] | null {
  const bytes = readMemory(place, Math.min(count, MAX_DESCRIPTORS) * POLLFD_BYTES);
  if (bytes === null) return null;
  const found: number[] = [];
  for (let at = 0; at < bytes.length; at += POLLFD_BYTES) {
    const fd = bytes.readInt32LE(at);
    if ((bytes.readInt16LE(at + 4) & POLL_READ_EVENTS) !== 0) found.push(fd);
  }
  return found;
}

/** The descriptors of an `fd_set`. */
export function readSelectSet(place: MemoryAddress, count: number): number[] | null {
  const bytes = readMemory(place, Math.ceil(Math.min(count, MAX_DESCRIPTORS) / 8));
  if (bytes === null) return null;
  const found: number[] = [];
  for (let fd = 0; fd < count; fd += 1) if (((bytes[fd >> 3] ?? 0) >> (fd & 7)) & 1) found.push(fd);
  return found;
}

function readMemory({ process, address }: MemoryAddress, length: number): Buffer | null {
  // A call may be given no set at all.
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
