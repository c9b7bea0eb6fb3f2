import { closeSync, constants, openSync, readlinkSync, readSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';

/** Everything a command wrote before it ended is in its pipe, and no pipe is larger than this. */
const MAX_PIPE_BYTES = 1024 * 1024;

/** A pipe holds what a fast command prints in this time, or makes it wait that long once. */
const START_MS = 2;

export interface PipeReaderOptions {
  readonly buffer: Buffer;
  /** While a promise that it gives back is pending, nothing more is read. */
  readonly onChunk: (chunk: Buffer) => void | Promise<void>;
}

/**
 * Reads a run's output pipe at the speed of `cat`.
 *
 * One buffer serves all readers: what is read is handed on before anything else is read.
 */
export class PipeReader {
  /**
   * The pipe as `/proc` names it (`pipe:[inode]`), read when it is opened: after the end of the output the descriptor is
   * closed, and its number may belong to the pipe of another run. Empty for a named pipe and without `/proc`.
   */
  readonly name: string;
  readonly #fd: number;
  readonly #buffer: Buffer;
  readonly #onChunk: (chunk: Buffer) => void | Promise<void>;
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #state: 'open' | 'eof' | 'closed' = 'open';

  constructor(source: string | number, { buffer, onChunk }: PipeReaderOptions) {
    this.#fd =
      typeof source === 'number' ? source : openSync(source, constants.O_RDONLY | constants.O_NONBLOCK);
    this.name = readPipeName(this.#fd);
    this.#buffer = buffer;
    this.#onChunk = onChunk;
  }

  /**
   * Begins to read as data comes, in a moment: what is over by then is read in one go (`drain`), and most commands are.
   */
  start(): void {
    this.#timer ??= setTimeout(() => this.#attach(), START_MS);
  }

  #attach(): void {
    if (this.#state !== 'open' || this.#socket !== undefined) return;
    const onread = {
      buffer: this.#buffer,
      callback: (count: number, buffer: Uint8Array): boolean => {
        const taken = this.#onChunk(Buffer.from(buffer.buffer, buffer.byteOffset, count));
        if (taken === undefined) return true;
        void taken.finally(() => this.#socket?.resume());
        return false;
      },
    };
    this.#socket = new Socket({
      fd: this.#fd,
      readable: true,
      writable: false,
      onread,
    } as ConstructorParameters<typeof Socket>[0]);
    this.#socket.on('end', () => this.#reachEnd());
    this.#socket.on('error', () => this.#reachEnd());
    this.#socket.resume();
  }

  /** Takes what is there now, without waiting for more. Returns whether somebody still holds the other end. */
  drain(): 'open' | 'eof' {
    // A socket that failed has closed the descriptor, and reports the error only later.
    if (this.#socket?.destroyed) this.#reachEnd();
    for (let total = 0; this.#state === 'open' && total < MAX_PIPE_BYTES; ) {
      const count = readNonBlocking(this.#fd, this.#buffer);
      if (count === 'empty') break;
      if (count === 0) this.#state = 'eof';
      else void this.#onChunk(this.#buffer.subarray(0, count));
      total += count;
    }
    return this.#state === 'open' ? 'open' : 'eof';
  }

  close(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    clearTimeout(this.#timer);
    if (this.#socket === undefined) closeSync(this.#fd);
    else this.#socket.destroy();
  }

  #reachEnd(): void {
    if (this.#state === 'open') this.#state = 'eof';
  }
}

function readPipeName(fd: number): string {
  try {
    const name = readlinkSync(`/proc/self/fd/${fd}`);
    return name.startsWith('pipe:') ? name : '';
  } catch {
    return '';
  }
}

function readNonBlocking(fd: number, buffer: Buffer): number | 'empty' {
  try {
    return readSync(fd, buffer, 0, buffer.length, null);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 'empty';
    return 0;
  }
}

/** Writes what a pipe takes at this moment: how much that was, and 0 when it is full. */
export function writeNonBlocking(fd: number, bytes: Buffer): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}
