import type { Lane } from './lane.ts';

/**
 * One after the other, and no faster than the client takes what it is given: for what is large and is in memory until then. So
 * many may wait for their turn, and no more.
 */
export class TurnLane {
  readonly #lane: Lane;
  readonly #ready: () => Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(lane: Lane, ready: () => Promise<void> | undefined) {
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
