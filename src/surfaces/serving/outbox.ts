import type { Writable } from 'node:stream';

/** Writes messages, one a line, in order. Who must not run ahead of the reader waits for `ready()`. */
export class Outbox<Message extends object = object> {
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
  async flushed(): Promise<void> {
    while (!this.#gone && this.#stream.writableLength > 0) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        // It also settles when there was too little for a drain to be told.
        this.#stream.write('', () => resolve());
      });
    }
  }
}
