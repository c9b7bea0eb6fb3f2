import type { RunStore } from '../../../engine/run/record/store.ts';
import { type InputWait, isSameWait } from '../../../engine/watch/input/find-input-wait.ts';
import { isLive } from '../../runs/job-info.ts';
import { findRunInputWait } from '../looking/input-wait.ts';

/** How often a job whose input is open is asked whether it waits for it. */
const LOOK_EVERY_MS = 250;

/** Ends a wait when a job whose input was left open is blocked until somebody sends something. */
export class InputStop {
  found = false;
  readonly #store: RunStore;
  readonly #ids: readonly string[];
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #earlier = new Map<string, InputWait>();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #abort = (): void => this.#controller.abort();

  constructor(ids: readonly string[], { store, outer }: { store: RunStore; outer: AbortSignal | undefined }) {
    this.#store = store;
    this.#outer = outer;
    this.#ids = ids.filter((id) => store.find(id)?.asked.input === 'open');
    outer?.addEventListener('abort', this.#abort, { once: true });
    if (outer?.aborted) this.#abort();
    if (this.#ids.length > 0) this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  release(): void {
    clearInterval(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
  }

  #look(): void {
    for (const id of this.#ids) {
      const run = this.#store.find(id);
      const wait = run === null || !isLive(run) ? null : findRunInputWait(run);
      const earlier = this.#earlier.get(id);
      if (wait === null) this.#earlier.delete(id);
      else this.#earlier.set(id, wait);
      if (wait === null || earlier === undefined || !isSameWait(earlier, wait)) continue;
      this.found = true;
      this.#abort();
    }
  }
}
