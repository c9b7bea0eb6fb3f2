import type { RunStore } from '../../engine/run/run-store.ts';
import { NewRunDetector } from '../../engine/run/run-store.ts';
import { NacreError } from '../../errors.ts';
import type { JobInfo } from '../contract/job.ts';
import { hasLiveProcesses, isJob, toJobInfo } from './job-info.ts';
import type { IndexedRun } from './run-index.ts';

/** The limit on the jobs of a session. */
export interface JobLimiterOptions {
  readonly store: RunStore;
  readonly session: string;
  /** All runs there are. Listing them takes a while, so it is done once. */
  readonly runs: () => readonly IndexedRun[];
  readonly isForeground: (id: string) => boolean;
  readonly maxJobs: number;
}

/** Keeps the number of live jobs of a session within its limit, whoever started them. */
export class JobLimiter {
  readonly #options: JobLimiterOptions;
  readonly #newRuns: NewRunDetector;
  /** Runs of the session that may be alive. Looking through every run there is would take longer with each of them. */
  #possiblyLive: Set<string> | undefined;
  /** Jobs that are being started; their directories may be there already, or not yet. */
  readonly #starting = new Set<Promise<unknown>>();
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(options: JobLimiterOptions) {
    this.#options = options;
    this.#newRuns = new NewRunDetector(options.store);
  }

  /** Starts a job, for which there must be room: rejects with `job_limit` if there is none. Near the limit one after the other. */
  start<T>(start: () => Promise<T>): Promise<T> {
    if (this.#isSurelyBelowLimit()) return this.#track(start);
    const turn = this.#lastTurn.then(async () => {
      while (this.#starting.size > 0) await Promise.allSettled(this.#starting);
      this.requireCapacity();
      return this.#track(start);
    });
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  /** One that is being started may be counted twice: then a call waits a little longer. */
  hasCapacity(): boolean {
    return (
      this.#isSurelyBelowLimit() || this.listLiveJobs().length + this.#starting.size < this.#options.maxJobs
    );
  }

  /** Throws `job_limit`, with the list of those that live, when there is no room for one more. */
  requireCapacity(): void {
    if (this.#isSurelyBelowLimit()) return;
    const { maxJobs: limit } = this.#options;
    const live = this.listLiveJobs();
    if (live.length < limit) return;
    const jobs = live.map(({ id, label }) => `${id} (${label})`).join(', ');
    throw new NacreError('job_limit', { count: live.length, limit, jobs });
  }

  /** What to say about a call that stayed because there was no room. */
  renderLimitNote(): string {
    const count = this.listLiveJobs().length;
    return `The call waited to the end: ${count} jobs are running, and there may be no more (async.maxJobs).`;
  }

  listLiveJobs(): readonly JobInfo[] {
    const { store, session, isForeground } = this.#options;
    const runs = [...this.#candidates()]
      .flatMap((id) => store.find(id) ?? [])
      .filter((run) => run.asked.session === session && hasLiveProcesses(run));
    this.#possiblyLive = new Set(runs.map(({ id }) => id));
    return runs.filter((run) => isJob(run) && !isForeground(run.id)).map(toJobInfo);
  }

  /** Room for certain, without a look at each: not even all that were ever seen to live would fill it. */
  #isSurelyBelowLimit(): boolean {
    return this.#candidates().size + this.#starting.size < this.#options.maxJobs;
  }

  #track<T>(start: () => Promise<T>): Promise<T> {
    const started = start();
    this.#starting.add(started);
    const forget = (): void => void this.#starting.delete(started);
    started.then(forget, forget);
    return started;
  }

  #candidates(): ReadonlySet<string> {
    const fresh = this.#newRuns.poll();
    if (this.#possiblyLive === undefined) this.#possiblyLive = new Set(this.#listRunningIds());
    else for (const id of fresh) this.#possiblyLive.add(id);
    return this.#possiblyLive;
  }

  #listRunningIds(): readonly string[] {
    const { runs, session } = this.#options;
    return runs().flatMap(({ info }) =>
      info.state === 'running' && info.session === session ? info.id : [],
    );
  }
}
