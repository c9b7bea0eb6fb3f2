/** Runs asynchronous work one piece at a time, in order. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** An aborted signal ends the wait for the turn: the work starts at once and must check the signal. */
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

/**
 * Calls back once when the signal is aborted, immediately if it already is. The returned function unsubscribes.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined;
  if (signal.aborted) callback();
  else signal.addEventListener('abort', callback, { once: true });
  return () => signal.removeEventListener('abort', callback);
}
