import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_FILES } from '../../engine/run/run-files.ts';
import type { StoredRun } from '../../engine/run/run-store.ts';
import type { JobInfo } from '../contract/job.ts';
import { isSuccess, toCallOutcome } from '../contract/result.ts';
import { RESTARTS_FILE } from './services.ts';

/**
 * Whether a run is a job: started in the background, moved there, left with live processes, or orphaned by its
 * caller.
 */
export function isJob({ asked, state, directory }: StoredRun): boolean {
  if (asked.background === true || (state.kind === 'ended' && state.leftoverPids.length > 0)) return true;
  return [RUN_FILES.backgroundLog, RUN_FILES.callerGone].some((name) => existsSync(join(directory, name)));
}

/** Whether the command or one of its leftover processes is alive. */
export function hasLiveProcesses({ state }: StoredRun): boolean {
  return state.kind === 'running' || state.leftoverPids.length > 0;
}

/** Converts a stored run to its public description. */
export function toJobInfo(run: StoredRun): JobInfo {
  const { id, asked, pid, startedAt } = run;
  return {
    id,
    session: stringOrEmpty(asked.session),
    ...serviceInfoOf(run),
    label: stringOrEmpty(asked.label),
    command: stringOrEmpty(asked.command),
    cwd: stringOrEmpty(asked.cwd),
    ...toJobState(run),
    pid,
    takesInput: asked.input === 'open',
    startedAt,
    outputFile: outputFileOf(run),
  };
}

function serviceInfoOf({ asked, directory }: StoredRun): Pick<JobInfo, 'name' | 'restarts'> {
  if (typeof asked.service !== 'string') return { name: null, restarts: 0 };
  return { name: asked.service, restarts: countRestarts(directory) };
}

function countRestarts(directory: string): number {
  try {
    return Number(readFileSync(join(directory, RESTARTS_FILE), 'latin1'));
  } catch {
    return 0;
  }
}

type JobState = Pick<
  JobInfo,
  'state' | 'status' | 'exitCode' | 'signal' | 'lostBecause' | 'leftoverPids' | 'endedAt'
>;

const RUNNING_STATE: JobState = {
  state: 'running',
  status: 'running',
  exitCode: null,
  signal: null,
  lostBecause: null,
  leftoverPids: [],
  endedAt: null,
};

/** Converts the state of a stored run to the state fields of `JobInfo`. */
export function toJobState({ state }: Pick<StoredRun, 'state'>): JobState {
  if (state.kind === 'running') return RUNNING_STATE;
  const { ending, leftoverPids, endedAt } = state;
  const outcome = toCallOutcome(ending);
  const ended = isSuccess(outcome) ? 'completed' : 'failed';
  const lostBecause = ending.kind === 'lost' ? ending.why : null;
  return {
    state: leftoverPids.length > 0 ? 'running' : ended,
    ...outcome,
    lostBecause,
    leftoverPids,
    endedAt,
  };
}

function stringOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The background log ends with a completion line; a run without one has the stdout file. */
function outputFileOf({ asked, directory }: StoredRun): string {
  const log = join(directory, RUN_FILES.backgroundLog);
  return asked.background === true || existsSync(log) ? log : join(directory, RUN_FILES.out);
}
