interface UpdateThrottleOptions {
  readonly send: () => void;
  /** @default 50 */
  readonly intervalMs?: number;
}

/**
 * Sends updates at most once per interval; the last update is always sent.
 *
 * The first update is delayed too, so that a short command causes one update and not two.
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

  /** Requests an update. */
  schedule(): void {
    if (this.#timer !== null || this.#ended) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#send();
    }, this.#intervalMs);
    this.#timer.unref();
  }

  /** Sends a pending update now and stops the timer. */
  flushAndStop(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#send();
  }
}
