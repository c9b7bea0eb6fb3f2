import type { Readable, Writable } from 'node:stream';

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

/** Writes messages, one a line, in order. Who must not run ahead of the reader waits for `ready()`. */
export class MessageWriter<Message extends object = object> {
  readonly #stream: Writable;
  #gone = false;
  #waiting: (() => void)[] = [];

  constructor(stream: Writable, onGone: () => void) {
    this.#stream = stream;
    const release = (): void => {
      for (const go of this.#waiting.splice(0)) go();
    };
    stream.on('drain', release);
    stream.once('error', () => {
      this.#gone = true;
      release();
      onGone();
    });
  }

  send(message: Message): void {
    if (!this.#gone) this.#stream.write(`${JSON.stringify(message)}\n`);
  }

  /** Whether everything sent so far is on its way. */
  get isFree(): boolean {
    return this.#gone || !this.#stream.writableNeedDrain;
  }

  /** Resolves when the reader has caught up, at once if it has. */
  ready(): Promise<void> | undefined {
    if (this.isFree) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Resolves when everything is written, or nobody reads any more. */
  async flush(): Promise<void> {
    while (!this.#gone && this.#stream.writableLength > 0) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        // It also settles when there was too little for a drain to be told.
        this.#stream.write('', () => resolve());
      });
    }
  }
}

/** The longest line that a server takes; of a longer one nothing is held but its length. */
export const MAX_LINE_BYTES: number = 8 * 1024 * 1024;

/** Reads lines until there are no more. A client that does not read its answers is not read either. */
export async function readLines(
  stdin: Readable,
  { take, outbox }: { readonly take: (line: SplitLine) => void; readonly outbox: MessageWriter },
): Promise<void> {
  const splitter = new LineSplitter(MAX_LINE_BYTES, take);
  try {
    for await (const chunk of stdin) {
      splitter.write(chunk as Buffer);
      await outbox.ready();
    }
    splitter.end();
  } catch {
    // It was closed under us: there is nothing more to read.
  }
}
