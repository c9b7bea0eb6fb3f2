import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_FILES } from '../../engine/run/files.ts';
import type { StoredRun } from '../../engine/run/record/store.ts';
import { RESTARTS_FILE } from '../job/service/restart-loop.ts';
import { succeeded, toOutcome } from '../outcome/outcome.ts';
import type { CallStatus, JobHandle } from '../result.ts';

/** A job, running or ended. */
export interface JobInfo {
  readonly id: string;
  readonly session: string;
  /** Of a service. */
  readonly name: string | null;
  /** How often a service was started again. */
  readonly restarts: number;
  /** What was started, short. */
  readonly label: string;
  readonly command: string;
  readonly cwd: string;
  /** `exited 0` is completed, every other end is failed. */
  readonly state: JobHandle['state'];
  readonly status: CallStatus;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why nobody knows how it ended. */
  readonly lostBecause: string | null;
  /** The command's own process and group; `null` before it began. */
  readonly pid: number | null;
  /** Processes that the command left behind and that still run. */
  readonly behind: readonly number[];
  /** Whether something can be sent to it while it runs. */
  readonly takesInput: boolean;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outputFile: string;
}

/** Whether a run is one that nobody waits for: it was started so, let go, left behind, or its caller was killed. */
export function isJob({ asked, state, directory }: StoredRun): boolean {
  if (asked.background === true || (state.kind === 'ended' && state.behind.length > 0)) return true;
  return [RUN_FILES.log, RUN_FILES.gone].some((name) => existsSync(join(directory, name)));
}

/** Whether something of it still runs. */
export function isLive({ state }: StoredRun): boolean {
  return state.kind === 'running' || state.behind.length > 0;
}

export function toJobInfo(run: StoredRun): JobInfo {
  const { id, asked, pid, startedAt } = run;
  return {
    id,
    session: textOf(asked.session),
    ...serviceOf(run),
    label: textOf(asked.label),
    command: textOf(asked.command),
    cwd: textOf(asked.cwd),
    ...toFate(run),
    pid,
    takesInput: asked.input === 'open',
    startedAt,
    outputFile: outputFileOf(run),
  };
}

function serviceOf({ asked, directory }: StoredRun): Pick<JobInfo, 'name' | 'restarts'> {
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

export type Fate = Pick<
  JobInfo,
  'state' | 'status' | 'exitCode' | 'signal' | 'lostBecause' | 'behind' | 'endedAt'
>;

const RUNNING: Fate = {
  ...{ state: 'running', status: 'running', exitCode: null, signal: null, lostBecause: null },
  ...{ behind: [], endedAt: null },
};

/** What has become of it. */
export function toFate({ state }: Pick<StoredRun, 'state'>): Fate {
  if (state.kind === 'running') return RUNNING;
  const { ending, behind, endedAt } = state;
  const outcome = toOutcome(ending);
  const over = succeeded(outcome) ? 'completed' : 'failed';
  const lostBecause = ending.kind === 'lost' ? ending.why : null;
  return { state: behind.length > 0 ? 'running' : over, ...outcome, lostBecause, behind, endedAt };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The file that ends with how the job ended, where there is one. */
function outputFileOf({ asked, directory }: StoredRun): string {
  const log = join(directory, RUN_FILES.log);
  return asked.background === true || existsSync(log) ? log : join(directory, RUN_FILES.out);
}
