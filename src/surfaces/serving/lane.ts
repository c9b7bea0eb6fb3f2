import { NacreError } from '../../index.ts';

/** So many at once and no more: who comes then is told so at once, and nothing waits in secret. */
export class Lane {
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
  enter(): () => void {
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
    const leave = this.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }
}
