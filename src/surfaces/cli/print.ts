import { writeSync } from 'node:fs';
import { toPrintable } from '../rendering/printable.ts';

/** Writes a result to stdout. Throws `EPIPE` when the reader has closed it. */
export function print(text: string): void {
  writeFully(1, Buffer.from(text));
}

/** Writes a message to stderr; only results go to stdout. */
export function printError(text: string): void {
  writeToStderr(`nacre: ${toPrintable(text)}\n`);
}

/** Writes an error to stderr as JSON. */
export function printErrorAsJson({
  code,
  message,
}: {
  readonly code: string;
  readonly message: string;
}): void {
  writeToStderr(`${JSON.stringify({ error: { id: code, message } })}\n`);
}

/** Writes a prompt to stderr without a prefix or newline. */
export function printPrompt(text: string): void {
  writeToStderr(text);
}

function writeToStderr(text: string): void {
  try {
    writeFully(2, Buffer.from(text));
  } catch {
    // stderr is closed: there is no other stream to report to.
  }
}

/** Writes all bytes; waits on EAGAIN when another process made the descriptor non-blocking. */
export function writeFully(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const written = writeAvailable(fd, bytes.subarray(done));
    if (written === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    done += written;
  }
}

/** Writes as many bytes as fit now and returns their number. */
export function writeAvailable(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}
