import type { Ending } from '../../engine/run/ending.ts';
import type { CallStatus } from '../result.ts';

/** An ending in the words of the result. */
export interface Outcome {
  readonly status: CallStatus;
  /** 128 + n for a death by signal, `null` where there is no status to speak of. */
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** The only place that decides what an ending is called. */
export function toOutcome(ending: Ending): Outcome {
  switch (ending.kind) {
    case 'exited':
      return { status: 'exited', exitCode: ending.exitCode, signal: null };
    case 'signaled':
      return { status: 'signaled', exitCode: 128 + ending.number, signal: ending.signal };
    case 'lost':
      return { status: 'lost', exitCode: null, signal: null };
    case 'stopped':
      return toStopped(ending);
  }
}

function toStopped({ reason, forced }: Extract<Ending, { kind: 'stopped' }>): Outcome {
  if (reason === 'timeout') return { status: 'timed_out', exitCode: null, signal: null };
  if (reason === 'abort' || reason === 'shutdown') return { status: 'aborted', exitCode: null, signal: null };
  return forced
    ? { status: 'signaled', exitCode: 137, signal: 'SIGKILL' }
    : { status: 'signaled', exitCode: 143, signal: 'SIGTERM' };
}

/** Whether a command did what it was asked to. */
export function succeeded({ status, exitCode }: Outcome): boolean {
  return status === 'exited' && exitCode === 0;
}
