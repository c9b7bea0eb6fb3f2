import { constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { CallOptions, CallResult } from '../../../index.ts';
import type { StopSignals } from '../../serving/stop-signals.ts';
import { printError, writeAvailable, writeFully } from '../print.ts';

/** Where the bytes of a command go on their way out of this program. */
export interface OutputSink {
  /** A promise when the reader is behind: until it resolves, nothing more should come. */
  write(chunk: Buffer): Promise<void> | undefined;
  /** Resolves when everything was taken, or nobody takes it any more. */
  flush(): Promise<void>;
}

/** Called once, when the other end is gone or cannot take more. */
export type OnSinkError = (error: NodeJS.ErrnoException) => void;

/** Passes bytes to one of our descriptors, unchanged, without ever keeping this program from reacting. */
export function openOutputSink(fd: number, onBroken: OnSinkError): OutputSink {
  const stats = fstatSync(fd);
  // A file or a terminal takes what it gets; waiting for it is as good as waiting for the disk.
  if (!stats.isFIFO() && !stats.isSocket()) return new BlockingSink(fd, onBroken);
  return new PipeSink(stats.isFIFO() ? reopenPipe(fd) : fd, onBroken);
}

/**
 * The same pipe as a description of our own: making the inherited one non-blocking would do it to every
 * program that shares it, and `(nacre run x; cat y) | less` would lose half of `y`.
 */
function reopenPipe(fd: number): number {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return fd; // no /proc here, or the pipe belongs to somebody else
  }
}

class BlockingSink implements OutputSink {
  readonly #fd: number;
  readonly #onBroken: OnSinkError;
  #state: 'open' | 'broken' = 'open';

  constructor(fd: number, onBroken: OnSinkError) {
    this.#fd = fd;
    this.#onBroken = onBroken;
  }

  write(chunk: Buffer): undefined {
    if (this.#state === 'broken') return;
    try {
      writeFully(this.#fd, chunk);
    } catch (error) {
      this.#state = 'broken';
      this.#onBroken(error as NodeJS.ErrnoException);
    }
  }

  async flush(): Promise<void> {}
}

class PipeSink implements OutputSink {
  readonly #fd: number;
  readonly #socket: Socket;
  readonly #onBroken: OnSinkError;
  #state: 'open' | 'broken' = 'open';
  #written: Promise<void> = Promise.resolve();

  constructor(fd: number, onBroken: OnSinkError) {
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
      return chunk.subarray(writeAvailable(this.#fd, chunk));
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

/** The way of a command's output through this program, or none. */
export interface OutputForwarder {
  readonly options: CallOptions;
  /** Resolves when everything has passed that still will. */
  flush(result: CallResult): Promise<void>;
}

export const NO_FORWARDING: OutputForwarder = { options: {}, flush: async () => {} };

/** After a time limit nobody waits longer than this for a reader that does not read. */
const FLUSH_AFTER_TIMEOUT_MS = 1_000;

/** Both streams, live, unchanged and apart. Without a reader the command has no reason to go on. */
export function forwardOutput(stop: StopSignals): OutputForwarder {
  const onBroken = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') printError(`The output cannot be written: ${error.message}`);
    stop.request('SIGPIPE');
  };
  const outlets = { out: openOutputSink(1, onBroken), err: openOutputSink(2, onBroken) };
  return {
    options: { streams: 'apart', onBytes: (stream, chunk) => outlets[stream].write(chunk) },
    flush: async ({ run }) => {
      const passed = Promise.all([outlets.out.flush(), outlets.err.flush()]);
      const ways: Promise<unknown>[] = [passed, waitForAbort(stop.signal)];
      if (run.status === 'timed_out')
        ways.push(new Promise((resolve) => setTimeout(resolve, FLUSH_AFTER_TIMEOUT_MS)));
      await Promise.race(ways);
    },
  };
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
