import { RunStore } from '../../engine/run/store.ts';
import { NacreError } from '../../errors.ts';
import { isLive, toJobInfo } from './job-info.ts';

/** The limits on the jobs of a session. */
export interface RoomOptions {
  readonly stateDirectory: string;
  readonly session: string;
  readonly maxJobs: number;
}

/** Keeps the number of live jobs of a session within its limit. */
export class JobRoom {
  readonly #options: RoomOptions;
  readonly #store: RunStore;
  /** Jobs that may be alive. Looking through every run there is would take longer with each of them. */
  #known: Set<string> | undefined;

  constructor(options: RoomOptions) {
    this.#options = options;
    this.#store = new RunStore(options.stateDirectory);
  }

  add(id: string): void {
    this.#known?.add(id);
  }

  /** Throws `job_limit`, with the list of those that live, when there is no room for one more. */
  require(): void {
    const { maxJobs: limit } = this.#options;
    const live = this.#live();
    if (live.length < limit) return;
    const jobs = live.map(({ id, label }) => `${id} (${label})`).join(', ');
    throw new NacreError('job_limit', { count: live.length, limit, jobs });
  }

  #live(): readonly { readonly id: string; readonly label: string }[] {
    const known = this.#known ?? this.#lookAround();
    const runs = [...known].flatMap((id) => this.#store.find(id) ?? []).filter(isLive);
    this.#known = new Set(runs.map(({ id }) => id));
    return runs.map(toJobInfo);
  }

  /** Earlier programs may have left jobs of the same session. */
  #lookAround(): ReadonlySet<string> {
    const { session } = this.#options;
    const ours = this.#store
      .list()
      .filter(({ asked }) => asked.session === session && asked.background === true);
    return new Set(ours.map(({ id }) => id));
  }
}
