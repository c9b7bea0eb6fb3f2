import type { RunStore } from '../../engine/run/run-store.ts';
import { isSweepDue, sweepRuns } from '../../engine/run/sweep-runs.ts';
import type { StorageOptions } from '../options/bash-options.ts';
import { sweepSessionShells } from '../sessions/sessions.ts';
import type { RunIndex } from './run-index.ts';

/** Minimum time between two checks whether a sweep is due. */
const CHECK_INTERVAL_MS = 60_000;

/** Deletes stored runs beyond the storage limits in the background. */
export class RunSweeper {
  readonly #store: RunStore;
  readonly #stateDirectory: string;
  readonly #limits: Required<StorageOptions>;
  readonly #index: RunIndex;
  #currentSweep: Promise<unknown> = Promise.resolve();
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(
    { store, index }: { readonly store: RunStore; readonly index: RunIndex },
    options: { readonly stateDirectory: string; readonly storage: Required<StorageOptions> },
  ) {
    this.#store = store;
    this.#index = index;
    this.#stateDirectory = options.stateDirectory;
    this.#limits = options.storage;
  }

  /**
   * Starts a sweep in the background, at most once an hour across all programs. A failed sweep is retried an
   * hour later.
   */
  sweepIfDue(): void {
    const now = performance.now();
    if (now - this.#checkedAt < CHECK_INTERVAL_MS) return;
    this.#checkedAt = now;
    try {
      if (!isSweepDue(this.#stateDirectory)) return;
    } catch {
      return;
    }
    this.#currentSweep = sweepRuns(this.#store, this.#limits)
      .then(() => this.#index.compact())
      .then(() => sweepSessionShells(this.#stateDirectory, this.#limits.maxAgeMs))
      .catch(() => undefined);
  }

  /** Resolves when no sweep is in progress. */
  async whenIdle(): Promise<void> {
    await this.#currentSweep;
  }
}
