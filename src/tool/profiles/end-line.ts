import type { Finished } from './profile.ts';

/** Why a run ended, as the last line of a text; `null` when it did what it was asked to. */
export function endLine({
  ending,
  outcome,
  timeLimit,
}: Pick<Finished, 'ending' | 'outcome' | 'timeLimit'>): string | null {
  if (ending.kind === 'stopped' && ending.reason === 'output_limit') {
    return 'Command ended: its output reached the limit of what is kept (storage.maxRunBytes)';
  }
  switch (outcome.status) {
    case 'timed_out':
      return `Command timed out after ${(timeLimit.ms ?? 0) / 1_000} seconds`;
    case 'aborted':
      return 'Command aborted';
    case 'lost':
      return 'Command failed: missing exit status';
    default:
      return outcome.exitCode === 0 ? null : `Command exited with code ${exitCodeText(outcome)}`;
  }
}

/** `3`, `137 (SIGKILL)`. */
export function exitCodeText({ exitCode, signal }: Finished['outcome']): string {
  return signal === null ? `${exitCode}` : `${exitCode} (${signal})`;
}
