import { NewRuns } from '../../engine/run/record/new-runs.ts';
import type { RunStore } from '../../engine/run/record/store.ts';
import { NacreError } from '../../errors.ts';
import type { IndexedRun } from './index-file.ts';
import { isJob, isLive, type JobInfo, toJobInfo } from './job-info.ts';

/** The limit on the jobs of a session. */
export interface RoomOptions {
  readonly store: RunStore;
  readonly session: string;
  /** All runs there are. Listing them takes a while, so it is done once. */
  readonly runs: () => readonly IndexedRun[];
  readonly isWaitedFor: (id: string) => boolean;
  readonly maxJobs: number;
}

/** Keeps the number of live jobs of a session within its limit, whoever started them. */
export class JobRoom {
  readonly #options: RoomOptions;
  readonly #newRuns: NewRuns;
  /** Runs of the session that may be alive. Looking through every run there is would take longer with each of them. */
  #known: Set<string> | undefined;
  /** Jobs that are being started; their directories may be there already, or not yet. */
  readonly #starting = new Set<Promise<unknown>>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: RoomOptions) {
    this.#options = options;
    this.#newRuns = new NewRuns(options.store);
  }

  /** Starts a job, for which there must be room: rejects with `job_limit` if there is none. Near the limit one after the other. */
  fill<T>(start: () => Promise<T>): Promise<T> {
    if (this.#isRoomy()) return this.#start(start);
    const turn = this.#turn.then(async () => {
      while (this.#starting.size > 0) await Promise.allSettled(this.#starting);
      this.require();
      return this.#start(start);
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** One that is being started may be counted twice: then a call waits a little longer. */
  hasRoom(): boolean {
    return this.#isRoomy() || this.live().length + this.#starting.size < this.#options.maxJobs;
  }

  /** Throws `job_limit`, with the list of those that live, when there is no room for one more. */
  require(): void {
    if (this.#isRoomy()) return;
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
    const { store, session, isWaitedFor } = this.#options;
    const runs = [...this.#candidates()]
      .flatMap((id) => store.find(id) ?? [])
      .filter((run) => run.asked.session === session && isLive(run));
    this.#known = new Set(runs.map(({ id }) => id));
    return runs.filter((run) => isJob(run) && !isWaitedFor(run.id)).map(toJobInfo);
  }

  /** Room for certain, without a look at each: not even all that were ever seen to live would fill it. */
  #isRoomy(): boolean {
    return this.#candidates().size + this.#starting.size < this.#options.maxJobs;
  }

  #start<T>(start: () => Promise<T>): Promise<T> {
    const started = start();
    this.#starting.add(started);
    const forget = (): void => void this.#starting.delete(started);
    started.then(forget, forget);
    return started;
  }

  #candidates(): ReadonlySet<string> {
    const fresh = this.#newRuns.look();
    if (this.#known === undefined) this.#known = new Set(this.#list());
    else for (const id of fresh) this.#known.add(id);
    return this.#known;
  }

  #list(): readonly string[] {
    const { runs, session } = this.#options;
    return runs().flatMap(({ info }) =>
      info.state === 'running' && info.session === session ? info.id : [],
    );
  }
}
