import { writeSync } from 'node:fs';

/** Writes what a pipe takes at this moment: how much that was, and 0 when it is full. */
export function writeNow(fd: number, bytes: Buffer): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}
