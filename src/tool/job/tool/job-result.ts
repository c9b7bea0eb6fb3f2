import type { ProcessName } from '../../../engine/hosts/host.ts';
import type { ErrorCode, NacreError } from '../../../errors.ts';
import type { WaitingForInput } from '../../result.ts';
import type { JobInfo } from '../../runs/job-info.ts';
import type { JobOutput } from '../acting/peek.ts';
import type { JobWait, WaitMet } from '../acting/wait.ts';

/** What the job tool can do. */
export type JobAction = 'list' | 'peek' | 'wait' | 'send' | 'kill';

/** A job, with what the action found out about it. */
export interface JobReport extends JobInfo {
  /** On which it takes connections. */
  readonly ports?: readonly number[];
  readonly waitingForInput?: WaitingForInput;
  readonly lastLine?: string;
  readonly output?: JobOutput;
  /** Of a wait: what came; `null` when it did not. */
  readonly met?: WaitMet | null;
  /** Of a kill: who outlived it. */
  readonly survivors?: readonly ProcessName[];
}

/** What `job()` resolves with. */
export interface JobResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  /** The call could not be carried out; a job that failed is no error. */
  readonly isError: boolean;
  readonly details: {
    readonly action: JobAction | null;
    readonly jobs: readonly JobReport[];
    /** Of a wait: why it is over. */
    readonly why?: JobWait['why'];
  };
  readonly error?: { readonly id: ErrorCode; readonly message: string };
}

/** A call that could not be carried out. */
export function toJobError({ code: id, message }: NacreError, action: JobAction | null): JobResult {
  return {
    content: [{ type: 'text', text: message }],
    isError: true,
    details: { action, jobs: [] },
    error: { id, message },
  };
}

/** What an action answers. */
export interface Answer {
  readonly text: string;
  readonly jobs: readonly JobReport[];
  readonly why?: JobWait['why'];
}
