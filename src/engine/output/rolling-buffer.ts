const FIRST_BYTES = 4096;

/** Most outputs are short, and there is nothing in this one to change. */
export const NO_BYTES: Buffer = Buffer.alloc(0);

/** The last bytes of a stream. Memory grows with what came, up to the capacity, and holds on to no chunk. */
export class RollingBuffer {
  readonly #capacity: number;
  #bytes: Buffer = NO_BYTES;
  /** Where the next byte goes. */
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

  /** A copy of the last bytes: later writes do not change it. */
  read(maxBytes: number = this.#length): Buffer {
    const length = Math.min(maxBytes, this.#length);
    if (length === 0) return NO_BYTES;
    const start = this.#position - length;
    if (start >= 0) return Buffer.from(this.#bytes.subarray(start, this.#position));
    return Buffer.concat([this.#bytes.subarray(start), this.#bytes.subarray(0, this.#position)], length);
  }

  #grow(wanted: number): void {
    if (this.#bytes.length === this.#capacity || this.#bytes.length >= wanted) return;
    const size = Math.min(this.#capacity, Math.max(wanted, FIRST_BYTES, this.#bytes.length * 2));
    // Not from the shared pool: a pooled slice would keep its whole page alive.
    const larger = Buffer.allocUnsafeSlow(size);
    // Smaller than the capacity it has never wrapped: what it holds is at its start.
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.#position = this.#length % size;
  }
}
