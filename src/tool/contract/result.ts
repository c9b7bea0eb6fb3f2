import type { ProcessName } from '../../engine/hosts/host.ts';
import type { Ending } from '../../engine/run/run-request.ts';
import { type ErrorCode, NacreError } from '../../errors.ts';

/** Reason why the changes of a call to the session's shell were not saved. */
export type StateReset =
  | 'timed_out'
  | 'aborted'
  | 'signaled'
  | 'lost'
  | 'replaced'
  | 'own_trap'
  | 'overlapped'
  | 'wider'
  | 'job';

/** Status of a call. */
export type CallStatus = 'exited' | 'signaled' | 'timed_out' | 'aborted' | 'running' | 'refused' | 'lost';

/** Range of lines, counted from 1, both ends included. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** Machine-readable result, the same for every profile and host. */
export interface MachineResult {
  /** `null` when nothing was started. */
  readonly runId: string | null;
  readonly status: CallStatus;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly wallTimeMs: number;
  readonly cwd: string;
  readonly output: MachineOutput;
  /** `artifact://<run id>`, or `null` when the full output was not kept. */
  readonly artifact: string | null;
  readonly job?: JobHandle;
  /** Set when the run continues and waits for input. */
  readonly waitingForInput?: WaitingForInput;
  readonly survivors?: readonly ProcessName[];
  /** Reason why changes to the shell are not available in the next call; absent when they are. */
  readonly stateReset?: StateReset;
  readonly pipeStatus?: readonly number[];
  /** Notes about losses, limits and changes, one line each. */
  readonly notes: readonly string[];
}

export interface MachineOutput {
  readonly text: string;
  readonly totalBytes: number;
  readonly totalLines: number;
  /** Ranges of lines shown; one range when nothing is omitted. */
  readonly shown: readonly LineRange[];
  /** `null` when the whole output is shown. */
  readonly omitted: { readonly lines: number; readonly bytes: number } | null;
}

/** Identifiers of a job, used to read and stop it. */
export interface JobHandle {
  readonly id: string;
  readonly pid: number;
  readonly pgid: number;
  readonly outputFile: string;
  readonly state: 'running' | 'completed' | 'failed';
}

/** A process that waits for input. */
export interface WaitingForInput {
  readonly pid: number;
  readonly command: string;
  /** Last line of output, usually the prompt. */
  readonly lastLine: string;
  /** Whether terminal echo is off, as for a password. */
  readonly echoOff: boolean;
  /** Whether the standard input is open, so that an answer can be sent. */
  readonly canSend: boolean;
}

/** Result of one call of the bash tool. */
export interface CallResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly isError: boolean;
  /** Fields of the profile. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly run: MachineResult;
  /** Set when the call was refused; a command that failed is not an error. */
  readonly error?: { readonly id: ErrorCode; readonly message: string };
}

/** Status of a run with its exit code and signal. */
export interface CallOutcome {
  readonly status: CallStatus;
  /** 128 + n for signal n; `null` without an exit status. */
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Converts the ending of a run to the outcome of a call. */
export function toCallOutcome(ending: Ending): CallOutcome {
  switch (ending.kind) {
    case 'exited':
      return { status: 'exited', exitCode: ending.exitCode, signal: null };
    case 'signaled':
      return { status: 'signaled', exitCode: 128 + ending.number, signal: ending.signal };
    case 'lost':
      return { status: 'lost', exitCode: null, signal: null };
    case 'stopped':
      return toStoppedOutcome(ending);
  }
}

function toStoppedOutcome({ reason, forced }: Extract<Ending, { kind: 'stopped' }>): CallOutcome {
  if (reason === 'timeout') return { status: 'timed_out', exitCode: null, signal: null };
  if (reason === 'abort' || reason === 'shutdown') return { status: 'aborted', exitCode: null, signal: null };
  return forced
    ? { status: 'signaled', exitCode: 137, signal: 'SIGKILL' }
    : { status: 'signaled', exitCode: 143, signal: 'SIGTERM' };
}

/** Whether a command exited with code 0. */
export function isSuccess({ status, exitCode }: CallOutcome): boolean {
  return status === 'exited' && exitCode === 0;
}

/** Thrown when the caller aborts a call; `result` has the output so far. */
export class ToolAbortError extends NacreError {
  override readonly name: string = 'ToolAbortError';
  /** Partial result with the status `aborted`. */
  readonly result: CallResult;

  constructor(result: CallResult, options?: ErrorOptions) {
    super('aborted', {}, options);
    this.result = result;
  }
}
