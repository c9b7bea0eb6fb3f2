import type { RunStore } from '../../engine/run/record/store.ts';
import { NacreError } from '../../errors.ts';
import { isLive, type JobInfo, toJobInfo } from './job-info.ts';

/** The limit on the jobs of a session. */
export interface RoomOptions {
  readonly store: RunStore;
  /** Those that may live, of the session. Looking for them takes a while, so it is asked for once. */
  readonly liveJobs: () => readonly JobInfo[];
  readonly maxJobs: number;
}

/** Keeps the number of live jobs of a session within its limit. */
export class JobRoom {
  readonly #options: RoomOptions;
  /** Jobs that may be alive. Looking through every run there is would take longer with each of them. */
  #known: Set<string> | undefined;

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  add(id: string): void {
    this.#known?.add(id);
  }

  hasRoom(): boolean {
    return this.live().length < this.#options.maxJobs;
  }

  /** Throws `job_limit`, with the list of those that live, when there is no room for one more. */
  require(): void {
    const { maxJobs: limit } = this.#options;
    const live = this.live();
    if (live.length < limit) return;
    const jobs = live.map(({ id, label }) => `${id} (${label})`).join(', ');
    throw new NacreError('job_limit', { count: live.length, limit, jobs });
  }

  /** What to say about a call that stayed because there was no room. */
  fullNote(): string {
    const count = this.live().length;
    return `The call waited to the end: ${count} jobs are running, and there may be no more (async.maxJobs).`;
  }

  live(): readonly JobInfo[] {
    const { store, liveJobs } = this.#options;
    this.#known ??= new Set(liveJobs().map(({ id }) => id));
    const runs = [...this.#known].flatMap((id) => store.find(id) ?? []).filter(isLive);
    this.#known = new Set(runs.map(({ id }) => id));
    return runs.map(toJobInfo);
  }
}
