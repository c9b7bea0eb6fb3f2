import { join } from 'node:path';
import { RUN_FILES } from '../../engine/run/files.ts';
import type { StoredRun } from '../../engine/run/store.ts';
import { succeeded, toOutcome } from '../outcome/outcome.ts';
import type { CallStatus, JobHandle } from '../result.ts';

/** A job, running or ended. */
export interface JobInfo {
  readonly id: string;
  readonly session: string;
  /** What was started, short. */
  readonly label: string;
  readonly command: string;
  readonly cwd: string;
  /** `exited 0` is completed, every other end is failed. */
  readonly state: JobHandle['state'];
  readonly status: CallStatus;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The command's own process and group; `null` before it began. */
  readonly pid: number | null;
  /** Processes that the command left behind and that still run. */
  readonly behind: readonly number[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outputFile: string;
}

/** Whether a run is one that nobody waits for; what a caller who was killed left behind is one, too. */
export function isJob(run: StoredRun): boolean {
  return run.asked.background === true || isLive(run);
}

/** Whether something of it still runs. */
export function isLive({ state }: StoredRun): boolean {
  return state.kind === 'running' || state.behind.length > 0;
}

export function toJobInfo(run: StoredRun): JobInfo {
  const { id, asked, pid, startedAt, state, directory } = run;
  const outcome = state.kind === 'running' ? RUNNING : toOutcome(state.ending);
  const file = asked.background === true ? RUN_FILES.log : RUN_FILES.out;
  return {
    id,
    session: String(asked.session ?? ''),
    label: String(asked.label ?? ''),
    command: String(asked.command ?? ''),
    cwd: String(asked.cwd ?? ''),
    state: isLive(run) ? 'running' : succeeded(outcome) ? 'completed' : 'failed',
    ...outcome,
    pid,
    behind: state.kind === 'running' ? [] : state.behind,
    startedAt,
    endedAt: state.kind === 'running' ? null : state.endedAt,
    outputFile: join(directory, file),
  };
}

const RUNNING = { status: 'running', exitCode: null, signal: null } as const;
