import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** More than this between two looks, and it is simpler to look at everybody. */
const MOST_BYTES = 256 * 1024;

/** Notices which runs ended since the last look, by the rows that their supervisors add to the index as their last act. */
export class NewRows {
  readonly #file: string;
  #size: number;

  constructor(file: string) {
    this.#file = file;
    this.#size = this.#stat();
  }

  /** The ids of those that were added; `null` when nobody can tell: look at everybody. */
  look(): readonly string[] | null {
    const size = this.#stat();
    const from = this.#size;
    if (size === from) return [];
    this.#size = size;
    // It was written anew, or is too much to read.
    if (size < from || size - from > MOST_BYTES) return null;
    const text = this.#read(from, size);
    return text === null ? null : [...text.matchAll(/^\["(\w+)"/gm)].map(([, id = '']) => id);
  }

  #stat(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }

  #read(from: number, to: number): string | null {
    let fd: number | undefined;
    try {
      fd = openSync(this.#file, 'r');
      const bytes = Buffer.alloc(to - from);
      return bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, from));
    } catch {
      return null;
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }
}
