import { countNewlines, NEWLINE } from '../text/utf8.ts';

const INITIAL_BYTES = 4096;

/** Shared, because it has no content to change and most outputs are short. */
const EMPTY_BUFFER: Buffer = Buffer.alloc(0);

/** The last bytes of a stream. Memory grows with the stream up to the capacity; chunks are copied. */
class RollingBuffer {
  readonly #capacity: number;
  #bytes: Buffer = EMPTY_BUFFER;
  /** Index of the next byte. */
  #position = 0;
  #length = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  write(chunk: Buffer): void {
    const fresh = chunk.length > this.#capacity ? chunk.subarray(chunk.length - this.#capacity) : chunk;
    if (fresh.length === 0) return;
    this.#grow(this.#length + fresh.length);
    const first = fresh.copy(this.#bytes, this.#position);
    if (first < fresh.length) fresh.copy(this.#bytes, 0, first);
    this.#position = (this.#position + fresh.length) % this.#bytes.length;
    this.#length = Math.min(this.#capacity, this.#length + fresh.length);
  }

  /** Returns a copy: later writes do not change it. */
  read(maxBytes: number = this.#length): Buffer {
    const length = Math.min(maxBytes, this.#length);
    if (length === 0) return EMPTY_BUFFER;
    const start = this.#position - length;
    if (start >= 0) return Buffer.from(this.#bytes.subarray(start, this.#position));
    return Buffer.concat([this.#bytes.subarray(start), this.#bytes.subarray(0, this.#position)], length);
  }

  #grow(wanted: number): void {
    if (this.#bytes.length === this.#capacity || this.#bytes.length >= wanted) return;
    const size = Math.min(this.#capacity, Math.max(wanted, INITIAL_BYTES, this.#bytes.length * 2));
    // Not from the shared pool: a pooled slice would keep its whole page alive.
    const larger = Buffer.allocUnsafeSlow(size);
    // A buffer below its capacity has never wrapped, so its content begins at index 0.
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.#position = this.#length % size;
  }
}

/** Bytes kept of the start and of the end of an output. */
export interface WindowSizes {
  readonly headBytes: number;
  readonly tailBytes: number;
}

/** The first and last bytes of an output and its totals. If nothing is missing, `tail` continues `head`. */
export interface WindowContents {
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly totalBytes: number;
  readonly newlines: number;
  /** Whether the last line has no newline yet. */
  readonly unterminated: boolean;
}

/**
 * Keeps the first and last bytes of a stream in bounded memory and counts its bytes and lines.
 *
 * Every byte a command prints passes here, so nothing is decoded, and chunks are copied and never kept.
 */
export class OutputWindow {
  readonly #headBytes: number;
  #head: Buffer = EMPTY_BUFFER;
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

  /** A last line without a newline counts. */
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

  /** Returns a copy: later writes do not change it. */
  read(): WindowContents {
    return {
      head: this.#headLength === 0 ? EMPTY_BUFFER : Buffer.from(this.#head.subarray(0, this.#headLength)),
      tail: this.#tail.read(),
      totalBytes: this.#totalBytes,
      newlines: this.#newlines,
      unterminated: this.#lastByte !== NEWLINE,
    };
  }

  /** The last bytes of a run that is still running, at most `maxBytes`. */
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

const KIB = 1024;

/**
 * Bytes of an output that each profile keeps in memory: enough for its view, colours and redrawn lines
 * included. Memory grows with the output, so small outputs cost little.
 */
export const PROFILE_WINDOW_SIZES: Readonly<Record<'agent' | 'modes' | 'simple', WindowSizes>> = {
  agent: { headBytes: 64 * KIB, tailBytes: 192 * KIB },
  modes: { headBytes: 192 * KIB, tailBytes: 64 * KIB },
  simple: { headBytes: 1088 * KIB, tailBytes: 0 },
};
