import type { RunStore } from '../../engine/run/run-store.ts';
import { NewRunDetector } from '../../engine/run/run-store.ts';
import { NacreError } from '../../errors.ts';
import type { JobInfo } from '../contract/job.ts';
import { hasLiveProcesses, isJob, toJobInfo } from './job-info.ts';
import type { IndexedRun } from './run-index.ts';

/** Options of `JobLimiter`. */
interface JobLimiterOptions {
  readonly store: RunStore;
  readonly session: string;
  /** Lists all stored runs. Called once, because it reads the whole index. */
  readonly runs: () => readonly IndexedRun[];
  readonly isForeground: (id: string) => boolean;
  readonly maxJobs: number;
}

/** Limits the number of live jobs of a session, including jobs started by other programs. */
export class JobLimiter {
  readonly #options: JobLimiterOptions;
  readonly #newRuns: NewRunDetector;
  /**
   * Runs of the session that may be alive. Checking only these keeps the cost independent of the number of
   * stored runs.
   */
  #possiblyLive: Set<string> | undefined;
  /** Jobs that are being started. Their run directories may or may not exist yet. */
  readonly #starting = new Set<Promise<unknown>>();
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(options: JobLimiterOptions) {
    this.#options = options;
    this.#newRuns = new NewRunDetector(options.store);
  }

  /** Starts a job, or rejects with `job_limit`. Near the limit, starts are serialized. */
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

  /**
   * A job that is being started may be counted twice: the call then waits in the foreground a little longer.
   */
  hasCapacity(): boolean {
    return (
      this.#isSurelyBelowLimit() || this.listLiveJobs().length + this.#starting.size < this.#options.maxJobs
    );
  }

  /** Throws `job_limit` with the list of live jobs when the limit is reached. */
  requireCapacity(): void {
    if (this.#isSurelyBelowLimit()) return;
    const { maxJobs: limit } = this.#options;
    const live = this.listLiveJobs();
    if (live.length < limit) return;
    const jobs = live.map(({ id, label }) => `${id} (${label})`).join(', ');
    throw new NacreError('job_limit', { count: live.length, limit, jobs });
  }

  /** Note for a call that could not become a job because of the limit. */
  renderLimitNote(): string {
    const count = this.listLiveJobs().length;
    return `The call stayed in the foreground: ${count} jobs are running, and async.maxJobs allows no more.`;
  }

  /** Lists the live jobs of the session. */
  listLiveJobs(): readonly JobInfo[] {
    const { store, session, isForeground } = this.#options;
    const runs = [...this.#candidates()]
      .flatMap((id) => store.find(id) ?? [])
      .filter((run) => run.asked.session === session && hasLiveProcesses(run));
    this.#possiblyLive = new Set(runs.map(({ id }) => id));
    return runs.filter((run) => isJob(run) && !isForeground(run.id)).map(toJobInfo);
  }

  /** Cheap check: even if all candidates were alive, the limit would not be reached. */
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
