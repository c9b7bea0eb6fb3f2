import { writeSync } from 'node:fs';

/** Writes a result. Throws `EPIPE` when nobody reads any more. */
export function print(text: string): void {
  writeAll(1, Buffer.from(text));
}

/** Everything that is not a result goes to stderr, where nobody may be listening. */
export function complain(text: string): void {
  try {
    writeAll(2, Buffer.from(`nacre: ${text}\n`));
  } catch {
    // There is no other place to say it.
  }
}

/** Also to a descriptor that somebody else has made non-blocking: it waits until there is room. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const written = writeSome(fd, bytes.subarray(done));
    if (written === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    done += written;
  }
}

/** As much as there is room for now. */
export function writeSome(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}
