import { countNewlines } from '../text/newlines.ts';
import { NO_BYTES, RollingBuffer } from './rolling-buffer.ts';

export interface WindowSizes {
  readonly headBytes: number;
  readonly tailBytes: number;
}

/** Both ends of an output and what is known of all of it. Where nothing is missing, `tail` follows on `head`. */
export interface WindowContents {
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly totalBytes: number;
  readonly newlines: number;
  /** Whether the last line has no newline yet. */
  readonly unterminated: boolean;
}

const NEWLINE = 10;

/**
 * Keeps the first and the last bytes of a stream of any length in bounded memory, and counts all of it.
 *
 * Every byte a command prints passes here: nothing is decoded, and chunks are copied, never kept.
 */
export class OutputWindow {
  readonly #headBytes: number;
  #head: Buffer = NO_BYTES;
  #headLength = 0;
  readonly #tail: RollingBuffer;
  #totalBytes = 0;
  #newlines = 0;
  #lastByte = NEWLINE;

  constructor({ headBytes, tailBytes }: WindowSizes) {
    this.#headBytes = headBytes;
    this.#tail = new RollingBuffer(tailBytes);
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  get newlines(): number {
    return this.#newlines;
  }

  /** A last line without its newline counts. */
  get totalLines(): number {
    return this.#newlines + (this.#lastByte === NEWLINE ? 0 : 1);
  }

  write(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#totalBytes += chunk.length;
    this.#newlines += countNewlines(chunk);
    this.#lastByte = chunk[chunk.length - 1] ?? NEWLINE;
    const taken = this.#headLength < this.#headBytes ? this.#writeHead(chunk) : 0;
    this.#tail.write(taken === 0 ? chunk : chunk.subarray(taken));
  }

  /** A copy: later writes do not change it. */
  read(): WindowContents {
    return {
      head: this.#headLength === 0 ? NO_BYTES : Buffer.from(this.#head.subarray(0, this.#headLength)),
      tail: this.#tail.read(),
      totalBytes: this.#totalBytes,
      newlines: this.#newlines,
      unterminated: this.#lastByte !== NEWLINE,
    };
  }

  /** The latest bytes, at most so many, for a look at a run that is still going. */
  latest(maxBytes: number): Buffer {
    const tail = this.#tail.read(maxBytes);
    const wanted = Math.min(maxBytes, this.#totalBytes) - tail.length;
    const follows = this.#totalBytes - tail.length === this.#headLength;
    if (wanted === 0 || !follows) return tail;
    return Buffer.concat([this.#head.subarray(this.#headLength - wanted, this.#headLength), tail]);
  }

  #writeHead(chunk: Buffer): number {
    const room = this.#headBytes - this.#headLength;
    const taken = Math.min(room, chunk.length);
    const wanted = this.#headLength + taken;
    if (this.#head.length < wanted) {
      const size = Math.min(this.#headBytes, Math.max(wanted, 1024, this.#head.length * 2));
      const larger = Buffer.allocUnsafeSlow(size);
      this.#head.copy(larger, 0, 0, this.#headLength);
      this.#head = larger;
    }
    chunk.copy(this.#head, this.#headLength, 0, taken);
    this.#headLength = wanted;
    return taken;
  }
}
