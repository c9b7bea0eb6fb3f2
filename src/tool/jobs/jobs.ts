import type { ProcessName } from '../../engine/hosts/host.ts';
import { createSecretMask, type SecretMask } from '../../engine/output/secret-mask.ts';
import { ProcessScanner } from '../../engine/process/process-scanner.ts';
import type { StoredRun } from '../../engine/run/run-store.ts';
import { RunStore } from '../../engine/run/run-store.ts';
import { NacreError } from '../../errors.ts';
import type { JobInfo } from '../contract/job.ts';
import { hasLiveProcesses, isJob, toJobInfo } from './job-info.ts';
import type { JobLook } from './job-meter.ts';
import type { KillOptions } from './kill-job.ts';
import type { JobOutput, PeekOptions } from './peek-job.ts';
import { RunIndex } from './run-index.ts';
import type { SendOptions } from './send-to-job.ts';
import type { JobWait, JobWaitOptions } from './wait-for-jobs.ts';

/** What became of an attempt to end a job. */
export interface KillReport {
  /** As it was found afterwards. */
  readonly job: JobInfo;
  /** Those who outlived it, where it was to be made certain. */
  readonly survivors: readonly ProcessName[];
}

/** Looks at jobs from time to time. */
export interface JobWatch {
  /** How they are doing, by id; what they use is measured since the last look. */
  look(ids: readonly string[]): ReadonlyMap<string, JobLook>;
}

/** Which ended jobs are forgotten. */
export interface PruneOptions {
  /**
   * Only those that ended before so many milliseconds.
   *
   * @default 0
   */
  readonly olderThanMs?: number;
}

/**
 * Jobs on disk: found again whoever started them, and whether that program still lives.
 *
 * An id is that of a run, or the name of a service, of which the latest is meant. What is not there, or not yours, is `job_not_found`.
 */
export interface Jobs {
  /** Newest first. */
  list(): readonly JobInfo[];
  find(id: string): JobInfo;
  /** A part of its output: the last lines, or from a byte on. */
  peek(id: string, options?: PeekOptions): Promise<JobOutput>;
  /** Until one of them ends, prints something, or a port answers. */
  wait(ids: readonly string[], options?: JobWaitOptions): Promise<JobWait>;
  send(id: string, options: SendOptions): Promise<void>;
  kill(id: string, options?: KillOptions): Promise<KillReport>;
  /** What jobs use, where they listen, what they printed last. */
  watch(): Promise<JobWatch>;
  /** Forgets jobs that are over, and their output. Resolves with how many. */
  prune(options?: PruneOptions): Promise<number>;
}

/** Whose jobs. */
export interface JobsOptions {
  readonly stateDirectory: string;
  /** `null`: of every session. */
  readonly session: string | null;
  /**
   * Values that must not show in what is read.
   *
   * @default []
   */
  readonly mask?: readonly string[];
}

/** The jobs of a session, or of all of them, for a program that runs nothing itself. */
export function openJobs({ stateDirectory, session, mask = [] }: JobsOptions): Jobs {
  const store = new RunStore(stateDirectory);
  const index = new RunIndex(store, stateDirectory);
  const masked = createSecretMask(mask);
  return createJobs({ store, index, session, mask: () => masked, isForeground: () => false });
}

/** Where jobs are, and which runs are none because somebody is waiting for them. */
export interface JobSources {
  readonly store: RunStore;
  readonly index: RunIndex;
  readonly session: string | null;
  readonly mask: () => SecretMask;
  readonly isForeground: (id: string) => boolean;
}

export function createJobs(sources: JobSources): Jobs {
  const { store, mask } = sources;
  const surveyor = new ProcessScanner();
  const list = (): readonly JobInfo[] => listJobs(sources);
  const find = (id: string): StoredRun => findJob(id, sources);
  return {
    list,
    find: (id) => toJobInfo(find(id)),
    peek: async (id, options = {}) => {
      const { peekJob: peekAt } = await import('./peek-job.ts');
      return peekAt(find(id), { ...options, mask: mask() });
    },
    wait: async (ids, options = {}) => {
      const { waitForJobs } = await import('./wait-for-jobs.ts');
      const runs = ids.map((id) => find(id).id);
      return waitForJobs([...new Set(runs)], options, { store, mask: mask() });
    },
    send: async (id, options) => {
      const { sendToJob } = await import('./send-to-job.ts');
      await sendToJob(find(id), options);
    },
    kill: async (id, options = {}) => {
      const { killJob } = await import('./kill-job.ts');
      const run = find(id);
      const survivors = await killJob(run, options, { store, surveyor });
      return { job: toJobInfo(store.find(run.id) ?? run), survivors };
    },
    watch: async () => {
      const { JobMeter } = await import('./job-meter.ts');
      const meter = new JobMeter(mask());
      return { look: (ids) => meter.look(ids.flatMap((id) => store.find(id) ?? [])) };
    },
    prune: async ({ olderThanMs = 0 } = {}) => pruneRuns(store, list().filter(endedBefore(olderThanMs))),
  };
}

function listJobs({ index, session, isForeground }: JobSources): readonly JobInfo[] {
  return index
    .list()
    .filter((run) => run.isJob && (session === null || run.info.session === session))
    .map(({ info }) => info)
    .filter(({ id }) => !isForeground(id));
}

function findJob(id: string, sources: JobSources): StoredRun {
  const { store, session, isForeground } = sources;
  const run = store.find(id) ?? store.find(findServiceRunId(id, sources));
  const isOurs =
    run !== null &&
    (session === null || run.asked.session === session) &&
    isJob(run) &&
    !isForeground(run.id);
  if (!isOurs) throw new NacreError('job_not_found', { id });
  return run;
}

/** The newest of that name. */
function findServiceRunId(name: string, sources: JobSources): string {
  return listJobs(sources).find((job) => job.name === name)?.id ?? '';
}

function endedBefore(olderThanMs: number): (job: JobInfo) => boolean {
  const latest = Date.now() - olderThanMs;
  return ({ state, endedAt, startedAt }) => state !== 'running' && (endedAt ?? startedAt) <= latest;
}

/** Several at a time: there may be thousands, and the disk is what takes long. */
const REMOVE_CONCURRENCY = 8;

async function pruneRuns(store: RunStore, jobs: readonly JobInfo[]): Promise<number> {
  const ids = jobs.map(({ id }) => id);
  let removed = 0;
  const work = async (): Promise<void> => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      const run = store.find(id);
      if (run === null || hasLiveProcesses(run)) continue;
      await store.removeAsync(id);
      removed += 1;
    }
  };
  await Promise.all(Array.from({ length: REMOVE_CONCURRENCY }, work));
  return removed;
}
