import { type Stats, statSync } from 'node:fs';
import { listProcNumbers, readProcLink, readProcText } from '../proc-file.ts';
import { isTerminalDevice } from './terminal.ts';

/**
 * What a descriptor is to somebody who waits for it. `wakeup` is how a program's own threads and signals
 * reach its loop; `nothing` is closed, or `/dev/null`.
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

/** The open descriptors of one process, each looked at only once. */
export class Descriptors {
  readonly #process: string;
  readonly #links = new Map<number, string | null>();
  readonly #kinds = new Map<number, DescriptorKind>();
  #all: readonly number[] | null | undefined;

  /** `process` is its directory in `/proc`. */
  constructor(process: string) {
    this.#process = process;
  }

  /** `null`: we may not see them. */
  all(): readonly number[] | null {
    if (this.#all === undefined) this.#all = listProcNumbers(`${this.#process}/fd`);
    return this.#all;
  }

  /** What it leads to, as `/proc` names it; pipes and sockets are named by their number. */
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
      kind = this.#look(fd);
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

  /** Those that lead to the same thing. */
  leadingTo(link: string): number[] {
    return (this.all() ?? []).filter((fd) => this.link(fd) === link);
  }

  /** What an epoll descriptor watches for something to read. */
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

  #look(fd: number): DescriptorKind {
    const link = this.link(fd);
    if (link === null) return 'nothing';
    if (link.startsWith('pipe:')) return 'pipe';
    if (link.startsWith('socket:')) return 'socket';
    if (!link.startsWith('/')) return ANONYMOUS[link] ?? 'other';
    return ANONYMOUS[link] ?? kindOfFile(`${this.#process}/fd/${fd}`);
  }
}

function kindOfFile(path: string): DescriptorKind {
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch {
    return 'other';
  }
  if (stats.isFIFO()) return 'pipe';
  return stats.isCharacterDevice() && isTerminalDevice(stats.rdev) ? 'terminal' : 'other';
}
