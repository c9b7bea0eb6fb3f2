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

/** Result of `kill`. */
export interface KillReport {
  /** State of the job after the signal. */
  readonly job: JobInfo;
  /** With `escalate`: processes that are still alive. */
  readonly survivors: readonly ProcessName[];
}

/** Measures jobs repeatedly. */
export interface JobWatch {
  /** Measures jobs by id; CPU usage is relative to the previous call. */
  look(ids: readonly string[]): ReadonlyMap<string, JobLook>;
}

/** Options of `prune`. */
export interface PruneOptions {
  /**
   * Delete only jobs that ended at least this many milliseconds ago.
   *
   * @default 0
   */
  readonly olderThanMs?: number;
}

/**
 * Access to the jobs on disk, including jobs of programs that have exited.
 *
 * An id is a run id or the name of a service (its newest run). Methods that take an id throw `job_not_found`
 * when the job does not exist or belongs to another session.
 */
export interface Jobs {
  /** Lists the jobs, newest first. */
  list(): readonly JobInfo[];
  find(id: string): JobInfo;
  /** Reads part of the output: the last lines, or from a byte offset. */
  peek(id: string, options?: PeekOptions): Promise<JobOutput>;
  /** Waits until a job ends, prints a matching line, or a port accepts connections. */
  wait(ids: readonly string[], options?: JobWaitOptions): Promise<JobWait>;
  send(id: string, options: SendOptions): Promise<void>;
  kill(id: string, options?: KillOptions): Promise<KillReport>;
  /** Creates a meter for CPU, memory, ports and the last line of jobs. */
  watch(): Promise<JobWatch>;
  /** Deletes ended jobs and their output. Resolves with the number of deleted jobs. */
  prune(options?: PruneOptions): Promise<number>;
}

/** Options of `openJobs`. */
export interface JobsOptions {
  readonly stateDirectory: string;
  /** `null` selects all sessions. */
  readonly session: string | null;
  /**
   * Values to mask in text that is read.
   *
   * @default []
   */
  readonly mask?: readonly string[];
}

/** Opens the jobs of one session or of all sessions, for a program that runs no commands itself. */
export function openJobs({ stateDirectory, session, mask = [] }: JobsOptions): Jobs {
  const store = new RunStore(stateDirectory);
  const index = new RunIndex(store, stateDirectory);
  const masked = createSecretMask(mask);
  return createJobs({ store, index, session, mask: () => masked, isForeground: () => false });
}

/** Sources of `createJobs`. A run with `isForeground` is not a job. */
interface JobSources {
  readonly store: RunStore;
  readonly index: RunIndex;
  readonly session: string | null;
  readonly mask: () => SecretMask;
  readonly isForeground: (id: string) => boolean;
}

/** Creates access to the jobs of a session or of all sessions. */
export function createJobs(sources: JobSources): Jobs {
  const { store, mask } = sources;
  const scanner = new ProcessScanner();
  const list = (): readonly JobInfo[] => listJobs(sources);
  const find = (id: string): StoredRun => findJob(id, sources);
  return {
    list,
    find: (id) => toJobInfo(find(id)),
    peek: async (id, options = {}) => {
      const { peekJob } = await import('./peek-job.ts');
      return peekJob(find(id), { ...options, mask: mask() });
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
      const survivors = await killJob(run, options, { store, scanner });
      return { job: toJobInfo(store.find(run.id) ?? run), survivors };
    },
    watch: async () => {
      const { JobMeter } = await import('./job-meter.ts');
      const meter = new JobMeter(mask());
      return { look: (ids) => meter.measure(ids.flatMap((id) => store.find(id) ?? [])) };
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

function findServiceRunId(name: string, sources: JobSources): string {
  return listJobs(sources).find((job) => job.name === name)?.id ?? '';
}

function endedBefore(olderThanMs: number): (job: JobInfo) => boolean {
  const latest = Date.now() - olderThanMs;
  return ({ state, endedAt, startedAt }) => state !== 'running' && (endedAt ?? startedAt) <= latest;
}

/** Deleting is bound by disk latency, so several runs are deleted at a time. */
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
