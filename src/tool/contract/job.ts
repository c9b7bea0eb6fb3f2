import type { CallStatus, JobHandle } from './result.ts';

/** The end of a job, as it is told. */
export interface JobEnd {
  readonly job: JobInfo;
  /** For the model: the status and the exit code on the first line, then the end of what it printed. */
  readonly text: string;
}

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
  readonly leftoverPids: readonly number[];
  /** Whether something can be sent to it while it runs. */
  readonly takesInput: boolean;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outputFile: string;
}
