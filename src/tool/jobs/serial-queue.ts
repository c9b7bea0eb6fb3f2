/** Work that is done one piece at a time, in the order in which it came. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Who loses interest while waiting gives up the turn at once: the work then starts, and finds the signal aborted. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const before = this.#last;
    let done = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      done = resolve;
    });
    this.#last = before.then(() => ended);
    try {
      await waitForTurnOrAbort(before, signal);
      return await work();
    } finally {
      done();
    }
  }
}

function waitForTurnOrAbort(turn: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const forget = onAbort(signal, resolve);
    void turn.then(() => {
      forget();
      resolve();
    });
  });
}

/** Calls back once, at once if it has happened already. What it returns forgets about it. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined;
  if (signal.aborted) callback();
  else signal.addEventListener('abort', callback, { once: true });
  return () => signal.removeEventListener('abort', callback);
}
