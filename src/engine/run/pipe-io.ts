import { closeSync, constants, openSync, readlinkSync, readSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';

/** Upper bound of a pipe's capacity, and so of unread output after the command has ended. */
const MAX_PIPE_BYTES = 1024 * 1024;

/** A pipe holds the output of a fast command for this time; a faster one waits once for this long. */
const START_MS = 2;

export interface PipeReaderOptions {
  readonly buffer: Buffer;
  /** Reading pauses while a returned promise is pending. */
  readonly onChunk: (chunk: Buffer) => void | Promise<void>;
}

/**
 * Reads a run's output pipe at the speed of `cat`.
 *
 * One buffer serves all readers: each chunk is passed on before the next read.
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
   * Begins to read after a short delay: the output of a command that has ended by then is read at once by
   * `drain`.
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

  /** Reads what is available now. Returns whether any process still has the other end open. */
  drain(): 'open' | 'eof' {
    // A failed socket has closed the descriptor already, and reports the error later.
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

/** Writes what the pipe accepts now and returns the number of bytes; 0 when it is full. */
export function writeNonBlocking(fd: number, bytes: Buffer): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}
