import type { ErrorCode } from '../../errors.ts';
import type { CallStatus } from '../result.ts';

/** One line of the log. A run has a line when it starts and one when its end was seen; a refusal has one. */
export type LogLine = StartLine | EndLine | RefusedLine;

interface Line {
  /** ISO 8601. */
  readonly time: string;
  readonly session: string;
}

/** What a call wanted. */
export interface Wanted {
  readonly profile: string;
  readonly host: string;
  /** Masked; `null` when the call had none. */
  readonly command: string | null;
  readonly cwd: string;
}

export interface StartLine extends Line, Wanted {
  readonly event: 'start';
  readonly runId: string;
  readonly verdict: 'allow';
  readonly background: boolean;
}

export interface EndLine extends Line {
  readonly event: 'end';
  readonly runId: string;
  readonly status: CallStatus;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  /** `null` for a job: nobody counted. */
  readonly outputBytes: number | null;
}

export interface RefusedLine extends Line, Wanted {
  readonly event: 'refused';
  readonly verdict: 'deny' | 'invalid';
  readonly error: ErrorCode;
}
