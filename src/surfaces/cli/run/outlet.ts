import { constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { writeAll, writeSome } from '../print.ts';

/** Where the bytes of a command go on their way out of this program. */
export interface Outlet {
  /** A promise when the reader is behind: until it resolves, nothing more should come. */
  write(chunk: Buffer): Promise<void> | undefined;
  /** Resolves when everything was taken, or nobody takes it any more. */
  flush(): Promise<void>;
}

/** Called once, when the other end is gone or cannot take more. */
export type OnBroken = (error: NodeJS.ErrnoException) => void;

/** Passes bytes to one of our descriptors, unchanged, without ever keeping this program from reacting. */
export function openOutlet(fd: number, onBroken: OnBroken): Outlet {
  const stats = fstatSync(fd);
  // A file or a terminal takes what it gets; waiting for it is as good as waiting for the disk.
  if (!stats.isFIFO() && !stats.isSocket()) return new DirectOutlet(fd, onBroken);
  return new PipeOutlet(stats.isFIFO() ? reopen(fd) : fd, onBroken);
}

/**
 * The same pipe as a description of our own: making the inherited one non-blocking would do it to every
 * program that shares it, and `(nacre run x; cat y) | less` would lose half of `y`.
 */
function reopen(fd: number): number {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return fd; // no /proc here, or the pipe belongs to somebody else
  }
}

class DirectOutlet implements Outlet {
  readonly #fd: number;
  readonly #onBroken: OnBroken;
  #state: 'open' | 'broken' = 'open';

  constructor(fd: number, onBroken: OnBroken) {
    this.#fd = fd;
    this.#onBroken = onBroken;
  }

  write(chunk: Buffer): undefined {
    if (this.#state === 'broken') return;
    try {
      writeAll(this.#fd, chunk);
    } catch (error) {
      this.#state = 'broken';
      this.#onBroken(error as NodeJS.ErrnoException);
    }
  }

  async flush(): Promise<void> {}
}

class PipeOutlet implements Outlet {
  readonly #fd: number;
  readonly #socket: Socket;
  readonly #onBroken: OnBroken;
  #state: 'open' | 'broken' = 'open';
  #written: Promise<void> = Promise.resolve();

  constructor(fd: number, onBroken: OnBroken) {
    this.#fd = fd;
    this.#onBroken = onBroken;
    this.#socket = new Socket({ fd, readable: false, writable: true });
    this.#socket.on('error', (error) => this.#break(error));
  }

  write(chunk: Buffer): Promise<void> | undefined {
    if (this.#state === 'broken') return undefined;
    const rest = this.#socket.writableLength > 0 ? chunk : this.#writeNow(chunk);
    if (rest.length === 0) return undefined;
    const copy = Buffer.from(rest); // whoever gave it to us uses the buffer again
    this.#written = new Promise((resolve) => this.#socket.write(copy, () => resolve()));
    return this.#written;
  }

  flush(): Promise<void> {
    return this.#written;
  }

  #writeNow(chunk: Buffer): Buffer {
    try {
      return chunk.subarray(writeSome(this.#fd, chunk));
    } catch (error) {
      this.#break(error as NodeJS.ErrnoException);
      return chunk.subarray(chunk.length);
    }
  }

  #break(error: NodeJS.ErrnoException): void {
    if (this.#state === 'broken') return;
    this.#state = 'broken';
    this.#socket.destroy();
    this.#onBroken(error);
  }
}
