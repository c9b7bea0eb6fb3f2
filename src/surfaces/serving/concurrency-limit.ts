import { NacreError } from '../../index.ts';

/** So many at once and no more: who comes then is told so at once, and nothing waits in secret. */
export class ConcurrencyLimit {
  readonly limit: number;
  readonly #what: string;
  #taken = 0;

  /** `what`: whatever there are too many of, as in "100 calls are under way". */
  constructor(limit: number, what: string) {
    this.limit = limit;
    this.#what = what;
  }

  /**
   * Takes a place. What it returns gives it back, once.
   *
   * @throws {NacreError} `too_many`
   */
  acquire(): () => void {
    if (this.#taken >= this.limit)
      throw new NacreError('too_many', {
        what: this.#what,
        limit: this.limit,
        advice: 'Wait for one to end',
      });
    this.#taken += 1;
    let isIn = true;
    return () => {
      if (isIn) this.#taken -= 1;
      isIn = false;
    };
  }

  async run<T>(work: () => Promise<T> | T): Promise<T> {
    const leave = this.acquire();
    try {
      return await work();
    } finally {
      leave();
    }
  }
}

/**
 * One after the other, and no faster than the client takes what it is given: for what is large and is in memory until then. So
 * many may wait for their turn, and no more.
 */
export class BackpressureQueue {
  readonly #lane: ConcurrencyLimit;
  readonly #ready: () => Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(lane: ConcurrencyLimit, ready: () => Promise<void> | undefined) {
    this.#lane = lane;
    this.#ready = ready;
  }

  get limit(): number {
    return this.#lane.limit;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    return this.#lane.run(() => {
      const turn = this.#last.then(this.#ready).then(work);
      this.#last = turn.catch(() => undefined);
      return turn;
    });
  }
}
