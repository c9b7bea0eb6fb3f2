import { type Stats, statSync } from 'node:fs';
import { listProcNumbers, readProcLink, readProcText } from '../process/proc-reader.ts';

/**
 * What a descriptor means to a thread that waits for it. `wakeup` is used by a program's own threads and
 * signals; `nothing` is closed or `/dev/null`.
 */
export type DescriptorKind = 'pipe' | 'socket' | 'terminal' | 'epoll' | 'wakeup' | 'nothing' | 'other';

const ANONYMOUS: Readonly<Record<string, DescriptorKind>> = {
  'anon_inode:[eventpoll]': 'epoll',
  'anon_inode:[eventfd]': 'wakeup',
  'anon_inode:[signalfd]': 'wakeup',
  '/dev/null': 'nothing',
};

const ACCESS_MODE = 3;
const READABLE = 1;

/** The open descriptors of one process; each is read only once. */
export class ProcessDescriptors {
  readonly #process: string;
  readonly #links = new Map<number, string | null>();
  readonly #kinds = new Map<number, DescriptorKind>();
  #all: readonly number[] | null | undefined;

  /** `process` is the directory of the process in `/proc`. */
  constructor(process: string) {
    this.#process = process;
  }

  /** `null` without permission to list them. */
  all(): readonly number[] | null {
    if (this.#all === undefined) this.#all = listProcNumbers(`${this.#process}/fd`);
    return this.#all;
  }

  /** The target of the link in `/proc`; for pipes and sockets it contains the inode number. */
  link(fd: number): string | null {
    let link = this.#links.get(fd);
    if (link === undefined) {
      link = fd < 0 ? null : readProcLink(`${this.#process}/fd/${fd}`);
      this.#links.set(fd, link);
    }
    return link;
  }

  kind(fd: number): DescriptorKind {
    let kind = this.#kinds.get(fd);
    if (kind === undefined) {
      kind = this.#readKind(fd);
      this.#kinds.set(fd, kind);
    }
    return kind;
  }

  canRead(fd: number): boolean {
    return this.#accessMode(fd) !== READABLE;
  }

  canWrite(fd: number): boolean {
    return this.#accessMode(fd) !== 0;
  }

  /** The descriptors with this link target. */
  leadingTo(link: string): number[] {
    return (this.all() ?? []).filter((fd) => this.link(fd) === link);
  }

  /** The descriptors that an epoll descriptor watches for reading. */
  watchedBy(epoll: number): number[] {
    const text = readProcText(`${this.#process}/fdinfo/${epoll}`) ?? '';
    return [...text.matchAll(/^tfd:\s*(\d+) events:\s*([0-9a-f]+)/gm)]
      .filter(([, , events = '0']) => (Number.parseInt(events, 16) & READABLE) !== 0)
      .map(([, fd]) => Number(fd));
  }

  #accessMode(fd: number): number {
    const text = readProcText(`${this.#process}/fdinfo/${fd}`) ?? '';
    const [, flags = '0'] = /^flags:\s*([0-7]+)/m.exec(text) ?? [];
    return Number.parseInt(flags, 8) & ACCESS_MODE;
  }

  #readKind(fd: number): DescriptorKind {
    const link = this.link(fd);
    if (link === null) return 'nothing';
    if (link.startsWith('pipe:')) return 'pipe';
    if (link.startsWith('socket:')) return 'socket';
    if (!link.startsWith('/')) return ANONYMOUS[link] ?? 'other';
    return ANONYMOUS[link] ?? descriptorKindOfFile(`${this.#process}/fd/${fd}`);
  }
}

function descriptorKindOfFile(path: string): DescriptorKind {
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch {
    return 'other';
  }
  if (stats.isFIFO()) return 'pipe';
  return stats.isCharacterDevice() && isTerminalDevice(stats.rdev) ? 'terminal' : 'other';
}

/** Major device numbers of pseudo-terminals (the slave side). */
const PTS_MAJORS = { first: 136, last: 143 };
const CONSOLE_MAJOR = 4;
/** Minor numbers from here on are serial lines, which connect machines. */
const SERIAL_MINOR = 64;
const TTY_MAJOR = 5;
/** 0 is `/dev/tty`, 1 is `/dev/console`, 2 is `/dev/ptmx`. */
const CONSOLE_MINOR = 1;

/** Whether a character device is a terminal that a person may use. */
function isTerminalDevice(device: number): boolean {
  const { major, minor } = deviceParts(device);
  if (major === CONSOLE_MAJOR) return minor < SERIAL_MINOR;
  if (major === TTY_MAJOR) return minor <= CONSOLE_MINOR;
  return isPts(major);
}

/** The path of a pseudo-terminal by its device number; `null` for another device. */
export function ptsPath(device: number): string | null {
  const { major, minor } = deviceParts(device);
  return isPts(major) ? `/dev/pts/${(major - PTS_MAJORS.first) * 256 + minor}` : null;
}

function isPts(major: number): boolean {
  return major >= PTS_MAJORS.first && major <= PTS_MAJORS.last;
}

function deviceParts(device: number): { major: number; minor: number } {
  return { major: (device >>> 8) & 0xfff, minor: (device & 0xff) | ((device >>> 12) & 0xfff00) };
}

const CONNECTED = '03';

/**
 * Whether the same process holds both ends of a pipe or socket pair: its threads and signal handlers wake its
 * event loop with it.
 */
export function isSelfPipe(descriptors: ProcessDescriptors, fd: number): boolean {
  const link = descriptors.link(fd);
  if (link === null) return false;
  if (descriptors.kind(fd) === 'pipe')
    return descriptors.leadingTo(link).some((other) => other !== fd && descriptors.canWrite(other));
  return descriptors.kind(fd) === 'socket' && isSelfSocketPair(descriptors, link);
}

/**
 * `/proc` does not show which sockets form a pair, but the two sockets of a pair have adjacent inode numbers.
 */
function isSelfSocketPair(descriptors: ProcessDescriptors, link: string): boolean {
  const number = inodeOf(link);
  const neighbours = [number - 1, number + 1].filter(
    (each) => descriptors.leadingTo(`socket:[${each}]`).length > 0,
  );
  if (neighbours.length === 0) return false;
  const pairs = readUnnamedSocketInodes();
  return pairs.has(number) && neighbours.some((each) => pairs.has(each));
}

/** Connected Unix sockets without a name. */
function readUnnamedSocketInodes(): Set<number> {
  const rows = (readProcText('/proc/net/unix') ?? '').split('\n').map((line) => line.trim().split(/\s+/));
  return new Set(
    rows
      .filter(([, , , , , state, , name]) => state === CONNECTED && name === undefined)
      .map((row) => Number(row[6])),
  );
}

function inodeOf(link: string): number {
  return Number(/\d+/.exec(link)?.[0]);
}
