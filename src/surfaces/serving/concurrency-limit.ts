import { NacreError } from '../../index.ts';

/** Rejects work beyond a number of concurrent tasks instead of queueing it. */
export class ConcurrencyLimit {
  readonly limit: number;
  readonly #what: string;
  #taken = 0;

  /** `what` names the tasks in the error, as in "100 calls are under way". */
  constructor(limit: number, what: string) {
    this.limit = limit;
    this.#what = what;
  }

  /**
   * Takes a slot and returns the function that frees it.
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
 * Runs tasks one after the other and starts each only when the client has read the previous results, which are
 * held in memory until then. The number of queued tasks is limited.
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
