/** One line, or how long one was that is too long to be held. */
export type SplitLine = { readonly bytes: Buffer } | { readonly tooLong: number };

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

/**
 * Splits bytes at newlines, and only there: inside a JSON string other separators are legal. Of a line that is too long
 * nothing is held but its length.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #onLine: (line: SplitLine) => void;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number, onLine: (line: SplitLine) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  write(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#hold(chunk.subarray(from, at));
      this.#give();
      from = at + 1;
    }
    this.#hold(chunk.subarray(from));
  }

  /** A last line without its newline counts as well. */
  end(): void {
    if (this.#length > 0) this.#give();
  }

  #hold(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > this.#maxBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  #give(): void {
    const length = this.#length;
    const pieces = this.#pieces;
    this.#length = 0;
    this.#pieces = [];
    const line = Buffer.concat(pieces);
    const bytes = line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
    if (length > this.#maxBytes) this.#onLine({ tooLong: length });
    else if (bytes.length > 0) this.#onLine({ bytes });
  }
}
