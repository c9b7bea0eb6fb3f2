import { closeSync, openSync, readSync } from 'node:fs';

const POLLFD_BYTES = 8;
/** Data to read, of any priority. */
const POLL_READ_EVENTS = 0x1 | 0x2 | 0x40 | 0x80;
/** More than any program waits for at a time; what is beyond is not looked at. */
const MAX_DESCRIPTORS = 4096;

export interface MemoryPlace {
  /** The process's directory in `/proc`. */
  readonly process: string;
  readonly address: bigint;
}

/** The descriptors of a `struct pollfd` array that are watched for something to read; `null`: we may not see it. */
export function readPollSet(place: MemoryPlace, count: number): number[] | null {
  const bytes = readMemory(place, Math.min(count, MAX_DESCRIPTORS) * POLLFD_BYTES);
  if (bytes === null) return null;
  const found: number[] = [];
  for (let at = 0; at < bytes.length; at += POLLFD_BYTES) {
    const fd = bytes.readInt32LE(at);
    if ((bytes.readInt16LE(at + 4) & POLL_READ_EVENTS) !== 0) found.push(fd);
  }
  return found;
}

/** The descriptors of an `fd_set`. */
export function readSelectSet(place: MemoryPlace, count: number): number[] | null {
  const bytes = readMemory(place, Math.ceil(Math.min(count, MAX_DESCRIPTORS) / 8));
  if (bytes === null) return null;
  const found: number[] = [];
  for (let fd = 0; fd < count; fd += 1) if (((bytes[fd >> 3] ?? 0) >> (fd & 7)) & 1) found.push(fd);
  return found;
}

function readMemory({ process, address }: MemoryPlace, length: number): Buffer | null {
  // A call may be given no set at all.
  if (address === 0n || length <= 0) return Buffer.alloc(0);
  const bytes = Buffer.alloc(length);
  let fd: number | undefined;
  try {
    fd = openSync(`${process}/mem`, 'r');
    return readSync(fd, bytes, 0, length, address) === length ? bytes : null;
  } catch {
    return null;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
