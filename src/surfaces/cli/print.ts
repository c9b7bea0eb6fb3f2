import { writeSync } from 'node:fs';
import { toPrintable } from '../rendering/printable.ts';

/** Writes a result. Throws `EPIPE` when nobody reads any more. */
export function print(text: string): void {
  writeFully(1, Buffer.from(text));
}

/** Everything that is not a result goes to stderr. */
export function printError(text: string): void {
  writeToStderr(`nacre: ${toPrintable(text)}\n`);
}

/** The same for a program that asked for JSON. */
export function printErrorAsJson({
  code,
  message,
}: {
  readonly code: string;
  readonly message: string;
}): void {
  writeToStderr(`${JSON.stringify({ error: { id: code, message } })}\n`);
}

/** A question to a person, who sees it as it is. */
export function printPrompt(text: string): void {
  writeToStderr(text);
}

function writeToStderr(text: string): void {
  try {
    writeFully(2, Buffer.from(text));
  } catch {
    // Nobody listens, and there is no other place to say it.
  }
}

/** Also to a descriptor that somebody else has made non-blocking: it waits until there is room. */
export function writeFully(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const written = writeAvailable(fd, bytes.subarray(done));
    if (written === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    done += written;
  }
}

/** As much as there is room for now. */
export function writeAvailable(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}
