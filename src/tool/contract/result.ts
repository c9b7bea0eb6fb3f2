import type { ProcessName } from '../../engine/hosts/host.ts';
import type { Ending } from '../../engine/run/run-request.ts';
import { type ErrorCode, NacreError } from '../../errors.ts';

/** Why a session's shell is still what it was before a call. */
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

/** How a call went, in one word. */
export type CallStatus = 'exited' | 'signaled' | 'timed_out' | 'aborted' | 'running' | 'refused' | 'lost';

/** Lines counted from 1, both ends included. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** The same for every profile and host: what a program reads. */
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
  /** Of a run that goes on: it is blocked until somebody gives it input. */
  readonly waitingForInput?: WaitingForInput;
  readonly survivors?: readonly ProcessName[];
  /** Why what the command changed in its shell is not there in the next call; absent when it is, or nothing changed. */
  readonly stateReset?: StateReset;
  readonly pipeStatus?: readonly number[];
  /** What we did that was not asked for. */
  readonly notes: readonly string[];
}

export interface MachineOutput {
  readonly text: string;
  readonly totalBytes: number;
  readonly totalLines: number;
  /** The lines shown; one range when nothing was cut. */
  readonly shown: readonly LineRange[];
  /** `null` when everything is shown. */
  readonly omitted: { readonly lines: number; readonly bytes: number } | null;
}

/** What is needed to find a job again, and to end it. */
export interface JobHandle {
  readonly id: string;
  readonly pid: number;
  readonly pgid: number;
  readonly outputFile: string;
  readonly state: 'running' | 'completed' | 'failed';
}

/** A process that is blocked until somebody gives it input. */
export interface WaitingForInput {
  readonly pid: number;
  readonly command: string;
  /** What was printed last: most likely the question. */
  readonly lastLine: string;
  /** What is typed is not shown: a password. */
  readonly echoOff: boolean;
  /** Whether its input was left open, so that an answer can be sent. */
  readonly canSend: boolean;
}

/** What `call()` resolves with. */
export interface CallResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly isError: boolean;
  /** The profile's own fields. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly run: MachineResult;
  /** Present when the call itself could not be carried out; a command that failed is not an error. */
  readonly error?: { readonly id: ErrorCode; readonly message: string };
}

/** An ending in the words of the result. */
export interface CallOutcome {
  readonly status: CallStatus;
  /** 128 + n for a death by signal, `null` where there is no status to speak of. */
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** The only place that decides what an ending is called. */
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

/** Whether a command did what it was asked to. */
export function isSuccess({ status, exitCode }: CallOutcome): boolean {
  return status === 'exited' && exitCode === 0;
}

/** The caller's own abort. What the command had done by then is not lost. */
export class ToolAbortError extends NacreError {
  override readonly name: string = 'ToolAbortError';
  /** What there is of a result. */
  readonly result: CallResult;

  constructor(result: CallResult, options?: ErrorOptions) {
    super('aborted', {}, options);
    this.result = result;
  }
}
