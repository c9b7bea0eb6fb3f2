import { constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { CallOptions, CallResult } from '../../../index.ts';
import type { StopSignals } from '../../serving/stop-signals.ts';
import { waitForAbort } from '../../serving/when-aborted.ts';
import { printError, writeAvailable, writeFully } from '../print.ts';

/** Receives the output bytes of a command. */
export interface OutputSink {
  /** Returns a promise while the reader is behind; the caller waits for it. */
  write(chunk: Buffer): Promise<void> | undefined;
  /** Resolves when everything is written or the reader is gone. */
  flush(): Promise<void>;
}

/** Called once when the reader is gone or a write fails. */
export type OnSinkError = (error: NodeJS.ErrnoException) => void;

/** Opens a sink that writes to a descriptor without blocking the event loop on a slow reader. */
export function openOutputSink(fd: number, onBroken: OnSinkError): OutputSink {
  const stats = fstatSync(fd);
  // Files and terminals accept writes without a long delay.
  if (!stats.isFIFO() && !stats.isSocket()) return new BlockingSink(fd, onBroken);
  return new PipeSink(stats.isFIFO() ? reopenPipe(fd) : fd, onBroken);
}

/**
 * Opens the same pipe as a new file description. O_NONBLOCK on the inherited description would affect every
 * process that shares it, and `(nacre run x; cat y) | less` would lose half of `y`.
 */
function reopenPipe(fd: number): number {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return fd; // no /proc, or the pipe belongs to another user
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
    const copy = Buffer.from(rest); // the caller reuses the buffer
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

/** Forwards a command's output to stdout and stderr. */
export interface OutputForwarder {
  readonly options: CallOptions;
  /** Resolves when all output that can be written is written. */
  flush(result: CallResult): Promise<void>;
}

export const NO_FORWARDING: OutputForwarder = { options: {}, flush: async () => {} };

/** After a timeout, the longest wait for a reader that does not read. */
const FLUSH_AFTER_TIMEOUT_MS = 1_000;

/** Forwards both streams live and unchanged. The command is stopped when the reader is gone. */
export function forwardOutput(stop: StopSignals): OutputForwarder {
  const onBroken = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') printError(`The output cannot be written: ${error.message}`);
    stop.request('SIGPIPE');
  };
  const sinks = { out: openOutputSink(1, onBroken), err: openOutputSink(2, onBroken) };
  return {
    options: { streams: 'apart', onBytes: (stream, chunk) => sinks[stream].write(chunk) },
    flush: async ({ run }) => {
      const flushed = Promise.all([sinks.out.flush(), sinks.err.flush()]);
      const ends: Promise<unknown>[] = [flushed, waitForAbort(stop.signal)];
      if (run.status === 'timed_out')
        ends.push(new Promise((resolve) => setTimeout(resolve, FLUSH_AFTER_TIMEOUT_MS)));
      await Promise.race(ends);
    },
  };
}
