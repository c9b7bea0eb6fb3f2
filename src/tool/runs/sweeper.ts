import type { RunStore } from '../../engine/run/record/store.ts';
import { isSweepDue, sweepRuns } from '../../engine/run/record/sweep.ts';
import type { StorageOptions } from '../options/storage-options.ts';
import { sweepShells } from '../sessions/sweep-shells.ts';
import type { RunIndex } from './run-index.ts';

/** So often at most we look whether it is time. */
const LOOK_EVERY_MS = 60_000;

/** Keeps what old runs take on disk within its limits. */
export class Sweeper {
  readonly #store: RunStore;
  readonly #stateDirectory: string;
  readonly #limits: Required<StorageOptions>;
  readonly #index: RunIndex;
  #underWay: Promise<unknown> = Promise.resolve();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    { store, index }: { readonly store: RunStore; readonly index: RunIndex },
    options: { readonly stateDirectory: string; readonly storage: Required<StorageOptions> },
  ) {
    this.#store = store;
    this.#index = index;
    this.#stateDirectory = options.stateDirectory;
    this.#limits = options.storage;
  }

  /** Sweeps beside everything else, at most once an hour among all programs. A sweep that fails is tried again then. */
  maybe(): void {
    const now = performance.now();
    if (now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    try {
      if (!isSweepDue(this.#stateDirectory)) return;
    } catch {
      return;
    }
    this.#underWay = sweepRuns(this.#store, this.#limits)
      .then(() => this.#index.tidy())
      .then(() => sweepShells(this.#stateDirectory, this.#limits.maxAgeMs))
      .catch(() => undefined);
  }

  /** Nothing is under way any more. */
  async idle(): Promise<void> {
    await this.#underWay;
  }
}
