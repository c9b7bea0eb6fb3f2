import type { RunStore } from '../../engine/run/record/store.ts';
import { isSweepDue, sweepRuns } from '../../engine/run/record/sweep.ts';
import type { StorageOptions } from '../options/options.ts';

/** Keeps what old runs take on disk within its limits. */
export class Sweeper {
  readonly #store: RunStore;
  readonly #stateDirectory: string;
  readonly #limits: Required<StorageOptions>;
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(
    store: RunStore,
    options: { readonly stateDirectory: string; readonly storage: Required<StorageOptions> },
  ) {
    this.#store = store;
    this.#stateDirectory = options.stateDirectory;
    this.#limits = options.storage;
  }

  /** Sweeps beside everything else, at most once an hour among all programs. A sweep that fails is tried again then. */
  maybe(): void {
    try {
      if (!isSweepDue(this.#stateDirectory)) return;
    } catch {
      return;
    }
    this.#underWay = sweepRuns(this.#store, this.#limits).catch(() => undefined);
  }

  /** Nothing is under way any more. */
  async idle(): Promise<void> {
    await this.#underWay;
  }
}
