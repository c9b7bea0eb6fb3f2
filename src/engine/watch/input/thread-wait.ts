import type { Descriptors } from './descriptors.ts';
import { candidatesAt, readKernelPlace } from './kernel-place.ts';
import { type MemoryPlace, readPollSet, readSelectSet } from './process-memory.ts';
import { isEndless, readSystemCall, type SystemCall } from './system-call.ts';

/** What a thread is waiting for. `idle`: for its own process only. `other`: it runs, or waits for something else. */
export type ThreadWait =
  | { readonly kind: 'descriptors'; readonly fds: readonly number[]; readonly endless: boolean }
  | { readonly kind: 'idle' }
  | { readonly kind: 'other' };

/** A process as it is being looked at. */
export interface WatchedProcess {
  /** Its directory in `/proc`. */
  readonly directory: string;
  readonly descriptors: Descriptors;
  readonly arch: string;
}

const OTHER: ThreadWait = { kind: 'other' };
const IDLE: ThreadWait = { kind: 'idle' };

export function readThreadWait(process: WatchedProcess, tid: number): ThreadWait {
  const thread = `${process.directory}/task/${tid}`;
  const call = readSystemCall(thread, process.arch);
  if (call === null) return byPlace(process, thread);
  return byCall(call, { process, thread });
}

function byCall(call: SystemCall, at: { process: WatchedProcess; thread: string }): ThreadWait {
  const { shape } = call;
  if (shape === null) return OTHER;
  if (shape.kind === 'idle') return IDLE;
  if (shape.kind === 'read') return waitsFor([toDescriptor(call, shape.descriptor)]);
  if (shape.kind === 'restart') return byRestart(call, at);
  const { descriptors } = at.process;
  // Where the set is in memory that is not ours to read, everything that could be in it is.
  const fds = descriptorsOf(call, at.process) ?? candidatesAt('poll', descriptors);
  return waitsFor(expand(fds, descriptors), isEndless(shape.limit, call));
}

function descriptorsOf(call: SystemCall, { directory }: WatchedProcess): number[] | null {
  const [first = 0n, second = 0n] = call.arguments;
  const place = (address: bigint): MemoryPlace => ({ process: directory, address });
  if (call.shape?.kind === 'epoll') return [Number(first)];
  if (call.shape?.kind === 'select') return readSelectSet(place(second), Number(first));
  return readPollSet(place(first), Number(second));
}

/** Its arguments are still those of the call that was interrupted; the kernel's place says which that was. */
function byRestart(
  call: SystemCall,
  { process, thread }: { process: WatchedProcess; thread: string },
): ThreadWait {
  if (readKernelPlace(thread) !== 'poll') return OTHER;
  const [address = 0n, count = 0n] = call.arguments;
  const fds = readPollSet({ process: process.directory, address }, Number(count));
  return fds === null ? OTHER : waitsFor(fds, toDescriptor(call, 2) < 0);
}

/** Where it sleeps does not say for how long: who watches several things may go on by itself. */
function byPlace({ descriptors }: WatchedProcess, thread: string): ThreadWait {
  const place = readKernelPlace(thread);
  if (place === 'idle' || place === 'other') return { kind: place };
  const endless = place !== 'poll' && place !== 'epoll';
  return waitsFor(expand(candidatesAt(place, descriptors), descriptors), endless);
}

/** Instead of an epoll descriptor, those that it watches. They may watch each other, but Linux allows no circle. */
function expand(fds: readonly number[], descriptors: Descriptors): number[] {
  return fds.flatMap((fd) => {
    if (descriptors.kind(fd) !== 'epoll') return fd;
    return expand(descriptors.watchedBy(fd), descriptors);
  });
}

function waitsFor(fds: readonly number[], endless = true): ThreadWait {
  return { kind: 'descriptors', fds: [...new Set(fds)], endless };
}

function toDescriptor(call: SystemCall, argument: number): number {
  return Number(BigInt.asIntN(32, call.arguments[argument] ?? -1n));
}
