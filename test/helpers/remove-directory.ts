import { rmSync } from 'node:fs';

/** Removes a directory that a supervisor may still be writing its last files into. */
export function removeDirectory(path: string): void {
  for (let left = 100; ; left--) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      if (left === 0) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  }
}
