import { setMaxListeners } from 'node:events';

/** However short the time, so long may a look go on that reads all the output there is. */
const SPARE_MS = 2000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Ends a look at the caller's word, or when it takes far longer than there is time. */
export class LookLimit {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #abort = (): void => this.#controller.abort();

  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    this.#outer = outer;
    // One listener at the caller's signal, however many listen here.
    setMaxListeners(0, this.#controller.signal);
    outer?.addEventListener('abort', this.#abort, { once: true });
    if (outer?.aborted) this.#abort();
    const limitMs = timeoutMs + SPARE_MS;
    if (limitMs <= MAX_TIMER_MS) this.#timer = setTimeout(this.#abort, limitMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
  }
}
