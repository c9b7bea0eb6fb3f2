export interface UpdateThrottleOptions {
  readonly send: () => void;
  /** @default 50 */
  readonly intervalMs?: number;
}

/**
 * Says that there is something new, at most once per interval; the last word is always said.
 *
 * The first one waits too, so that a command which ends at once costs one update and not two.
 */
export class UpdateThrottle {
  readonly #send: () => void;
  readonly #intervalMs: number;
  #timer: NodeJS.Timeout | null = null;
  #ended = false;

  constructor({ send, intervalMs = 50 }: UpdateThrottleOptions) {
    this.#send = send;
    this.#intervalMs = intervalMs;
  }

  /** There is something new. */
  schedule(): void {
    if (this.#timer !== null || this.#ended) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#send();
    }, this.#intervalMs);
    this.#timer.unref();
  }

  /** Nothing new will come: what is unsaid is said now, and no timer is left. */
  flushAndStop(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#send();
  }
}
