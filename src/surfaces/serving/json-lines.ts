import type { Readable, Writable } from 'node:stream';

/** One input line, or the length of a line that exceeded the limit. */
export type SplitLine = { readonly bytes: Buffer } | { readonly tooLong: number };

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

/**
 * Splits bytes at newlines only, because other line separators are legal inside a JSON string. Of a line beyond
 * the limit only the length is kept.
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

  /** Reports a last line that has no newline. */
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

/** Writes messages in order, one JSON object per line. `ready()` provides backpressure. */
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

  /** Whether the stream accepts more data without buffering it. */
  get isFree(): boolean {
    return this.#gone || !this.#stream.writableNeedDrain;
  }

  /** Resolves when the reader has caught up; `undefined` when it already has. */
  ready(): Promise<void> | undefined {
    if (this.isFree) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Resolves when everything is written or the reader has closed the stream. */
  async flush(): Promise<void> {
    while (!this.#gone && this.#stream.writableLength > 0) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        // The callback also runs when too little was buffered for a `drain` event.
        this.#stream.write('', () => resolve());
      });
    }
  }
}

/** The longest accepted input line; of a longer one only the length is kept. */
export const MAX_LINE_BYTES: number = 8 * 1024 * 1024;

/** Reads lines until the end of input. Reading pauses while the client does not read the responses. */
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
    // The input was destroyed: there is nothing left to read.
  }
}
