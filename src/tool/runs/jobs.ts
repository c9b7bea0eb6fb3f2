import { constants } from 'node:os';
import type { ProcessName } from '../../engine/hosts/host.ts';
import { signalRun, stopRun } from '../../engine/run/kill.ts';
import type { StoredRun } from '../../engine/run/store.ts';
import { RunStore } from '../../engine/run/store.ts';
import { NacreError } from '../../errors.ts';
import { badInput } from '../input/check-input.ts';
import { describeValue } from '../input/describe-value.ts';
import type { JobInfo } from './job-info.ts';
import { isJob, isLive, toJobInfo } from './job-info.ts';
import { RunIndex } from './run-index.ts';

/** How a job is ended. */
export interface KillOptions {
  /**
   * The signal to send: exactly this one, to everybody of the job.
   *
   * @default 'SIGTERM'
   */
  readonly signal?: NodeJS.Signals;
  /**
   * TERM, then after the grace KILL for whoever is left; `signal` does not count then.
   *
   * @default false
   */
  readonly escalate?: boolean;
  /**
   * Between TERM and KILL, in milliseconds.
   *
   * @default 2_000
   */
  readonly graceMs?: number;
}

/** What became of an attempt to end a job. */
export interface KillReport {
  /** As it was found afterwards. */
  readonly job: JobInfo;
  /** Those who outlived it, where it was to be made certain. */
  readonly survivors: readonly ProcessName[];
}

/** Jobs on disk: found again whoever started them, and whether that program still lives. */
export interface Jobs {
  /** Newest first. */
  list(): readonly JobInfo[];
  /** Throws `job_not_found` for one that is not there, or not yours. */
  find(id: string): JobInfo;
  kill(id: string, options?: KillOptions): Promise<KillReport>;
}

/** Whose jobs. */
export interface JobsOptions {
  readonly stateDirectory: string;
  /** `null`: of every session. */
  readonly session: string | null;
}

/** The jobs of a session, or of all of them, for a program that runs nothing itself. */
export function openJobs({ stateDirectory, session }: JobsOptions): Jobs {
  const store = new RunStore(stateDirectory);
  const index = new RunIndex(store, stateDirectory);
  return createJobs({ store, index, session, isWaitedFor: () => false });
}

/** Where jobs are, and which runs are none because somebody is waiting for them. */
export interface JobSources {
  readonly store: RunStore;
  readonly index: RunIndex;
  readonly session: string | null;
  readonly isWaitedFor: (id: string) => boolean;
}

export function createJobs({ store, index, session, isWaitedFor }: JobSources): Jobs {
  const isOurs = (run: StoredRun): boolean =>
    (session === null || run.asked.session === session) && isJob(run) && !isWaitedFor(run.id);
  const find = (id: string): StoredRun => {
    const run = store.find(id);
    if (run === null || !isOurs(run)) throw new NacreError('job_not_found', { id });
    return run;
  };
  return {
    list: () =>
      index
        .list()
        .filter((run) => run.isJob && (session === null || run.info.session === session))
        .map(({ info }) => info)
        .filter(({ id }) => !isWaitedFor(id)),
    find: (id) => toJobInfo(find(id)),
    kill: async (id, options = {}) => {
      const survivors = await end(find(id), options);
      return { job: toJobInfo(store.find(id) ?? find(id)), survivors };
    },
  };
}

async function end(run: StoredRun, options: KillOptions): Promise<readonly ProcessName[]> {
  const { signal = 'SIGTERM', escalate = false, graceMs = 2_000 } = options;
  if (!Object.hasOwn(constants.signals, signal)) {
    throw badInput('signal', `expected the name of a signal, such as SIGTERM, got ${describeValue(signal)}`);
  }
  // Its numbers may be somebody else's by now.
  if (!isLive(run)) return [];
  if (escalate) return stopRun(run, graceMs);
  signalRun(run, signal);
  return [];
}
