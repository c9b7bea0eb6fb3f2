import type { CallResult } from '../../../index.ts';
import { BROKEN_PIPE } from '../exit-status.ts';
import { complain, print } from '../print.ts';
import type { Showing } from './run-plan.ts';

/** Prints what is left to say when a call is over. Raw output has passed through by then. */
export function showResult(result: CallResult, showing: Showing, interrupted: number | null): void {
  if (interrupted === BROKEN_PIPE) return;
  if (showing === 'json') print(`${JSON.stringify(result)}\n`);
  else if (showing === 'view') print(`${result.content.map(({ text }) => text).join('\n')}\n`);
  else for (const line of remarks(result)) complain(line);
}

function remarks({ run, error, details }: CallResult): readonly string[] {
  if (error !== undefined) return [error.message, ...run.notes];
  if (run.status === 'timed_out') {
    const seconds = details.timeoutSeconds ?? Math.round(run.wallTimeMs / 1000);
    return [`Command timed out after ${seconds} seconds`, ...run.notes];
  }
  return run.status === 'lost' ? ['Command failed: missing exit status', ...run.notes] : run.notes;
}
