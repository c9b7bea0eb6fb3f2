import type { CallStatus, JobHandle } from './result.ts';

/** Notification about a job that ended. */
export interface JobEnd {
  readonly job: JobInfo;
  /** Text for the model: status and exit code on the first line, then the end of the output. */
  readonly text: string;
}

/** A job, running or ended. */
export interface JobInfo {
  readonly id: string;
  readonly session: string;
  /** Name of a service; `null` for other jobs. */
  readonly name: string | null;
  /** Number of restarts of a service. */
  readonly restarts: number;
  /** First line of the command, shortened. */
  readonly label: string;
  readonly command: string;
  readonly cwd: string;
  /** `completed` for exit code 0, `failed` for any other end. */
  readonly state: JobHandle['state'];
  readonly status: CallStatus;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Reason why the exit status is unknown. */
  readonly lostBecause: string | null;
  /** Process id and process group of the command; `null` before it starts. */
  readonly pid: number | null;
  /** Leftover processes of the command that still run. */
  readonly leftoverPids: readonly number[];
  /** Whether input can be sent while the job runs. */
  readonly takesInput: boolean;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outputFile: string;
}
