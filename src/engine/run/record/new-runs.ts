import { statSync } from 'node:fs';
import { toRunTime } from './id.ts';
import type { RunStore } from './store.ts';

/** A directory that changed less long ago may change again without showing it: its time has a grain. */
const GRAIN_MS = 100;

/** Two programs that make a run at once may finish in either order. */
const OVERLAP_MS = 5_000;

/** Notices runs that were made since the last look, by whomever. A look at an unchanged directory costs next to nothing. */
export class NewRuns {
  readonly #store: RunStore;
  #changedAt = -1;
  /** Those made within the overlap before the newest. */
  #recent: ReadonlySet<string> = new Set();
  #newestAt = 0;

  constructor(store: RunStore) {
    this.#store = store;
  }

  /** Newest first; all there are at the first look. */
  look(): readonly string[] {
    const changedAt = statSync(this.#store.directory, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (changedAt === this.#changedAt && Date.now() - changedAt > GRAIN_MS) return [];
    this.#changedAt = changedAt;
    const ids = this.#store.ids();
    const fresh = takeNewer(ids, this.#newestAt).filter((id) => !this.#recent.has(id));
    this.#newestAt = toRunTime(ids[0] ?? '0000000') - OVERLAP_MS;
    this.#recent = new Set(takeNewer(ids, this.#newestAt));
    return fresh;
  }
}

function takeNewer(ids: readonly string[], after: number): readonly string[] {
  const end = ids.findIndex((id) => toRunTime(id) < after);
  return end === -1 ? ids : ids.slice(0, end);
}
