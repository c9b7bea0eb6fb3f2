import { whenAborted } from './when-aborted.ts';

/** Work that is done one piece at a time, in the order in which it came. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Who loses interest while waiting gives up the turn at once: the work then starts, and finds the signal aborted. */
  async take<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const before = this.#last;
    let done = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      done = resolve;
    });
    this.#last = before.then(() => ended);
    try {
      await firstOf(before, signal);
      return await work();
    } finally {
      done();
    }
  }
}

function firstOf(turn: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const forget = whenAborted(signal, resolve);
    void turn.then(() => {
      forget();
      resolve();
    });
  });
}
