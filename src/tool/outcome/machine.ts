import type { MachineOutput, MachineResult } from '../result.ts';
import type { Outcome } from './outcome.ts';

/** The parts of the machine form that do not follow from the outcome. */
export interface MachineParts
  extends Partial<
    Pick<MachineResult, 'job' | 'waitingForInput' | 'survivors' | 'stateReset' | 'pipeStatus'>
  > {
  readonly runId: string | null;
  readonly outcome: Outcome;
  readonly wallTimeMs: number;
  readonly cwd: string;
  readonly output: MachineOutput;
  readonly artifact: string | null;
  readonly notes: readonly string[];
}

export const NO_OUTPUT: MachineOutput = { text: '', totalBytes: 0, totalLines: 0, shown: [], omitted: null };

/** The one form that every result has, whatever its profile. */
export function toMachine({ outcome, ...parts }: MachineParts): MachineResult {
  const { status, exitCode, signal } = outcome;
  const { runId, wallTimeMs, cwd, output, artifact, ...rest } = parts;
  return {
    ...{ runId, status, exitCode, signal },
    timedOut: status === 'timed_out',
    aborted: status === 'aborted',
    ...{ wallTimeMs, cwd, output, artifact },
    ...rest,
  };
}
