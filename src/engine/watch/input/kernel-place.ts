import { readProcText } from '../proc-file.ts';
import type { DescriptorKind, Descriptors } from './descriptors.ts';

/** Where in the kernel a thread sleeps, as far as it says what kind of thing it waits for. */
type KernelPlace = 'pipe' | 'terminal' | 'socket' | 'poll' | 'epoll' | 'idle' | 'other';

/** By the names of functions that kernels since 4.4 show, in this order: `do_epoll_wait` polls in its own way. */
const PLACES: readonly (readonly [RegExp, KernelPlace])[] = [
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
export function readKernelPlace(thread: string): KernelPlace {
  const name = readProcText(`${thread}/wchan`) ?? '';
  return PLACES.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
}

/** A place names a kind of thing: all that the process has of it are candidates, and nobody knows which it is. */
export function candidatesAt(place: KernelPlace, descriptors: Descriptors): number[] {
  const fits = FITS[place];
  return (descriptors.all() ?? []).filter(
    (fd) => fits(descriptors.kind(fd), descriptors.link(fd)) && descriptors.canRead(fd),
  );
}

type Fits = (kind: DescriptorKind, link: string | null) => boolean;

const POLLED: readonly DescriptorKind[] = ['pipe', 'terminal', 'socket', 'epoll', 'wakeup'];
const FITS: Readonly<Record<KernelPlace, Fits>> = {
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
