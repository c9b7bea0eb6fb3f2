import type { NacreError } from '../../errors.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import { succeeded } from '../outcome/outcome.ts';
import type { Shown } from '../outcome/shown.ts';
import type { TimeLimit } from '../planning/time-limit.ts';
import { fixedLimit } from '../planning/time-limit.ts';
import { endLine } from './end-line.ts';
import type { Finished, Shaped, Started } from './profile.ts';

/** A run that is over: its output, what is to be said beside it, and, if it did not go well, how it ended. */
export function shapeFinished(finished: Finished): Shaped {
  const { shown, notes, outcome, wallTimeMs } = finished;
  const last = endLine(finished);
  const beside = last === null ? notes : [...notes, last];
  const { exitCode, signal, status } = outcome;
  return {
    text: withLines(shown.output.text === '' ? '(no output)' : shown.output.text, beside),
    isError: !succeeded(outcome),
    details: {
      ...limitDetails(finished.timeLimit),
      wallTimeMs,
      ...(exitCode === null || exitCode === 0 ? {} : { exitCode }),
      ...(signal === null ? {} : { signal }),
      ...(status === 'timed_out' ? { timedOut: true } : {}),
      ...cutDetails(shown),
    },
  };
}

/** A job: what it printed so far, then how to find it again. */
export function shapeStarted(started: Started): Shaped {
  const { job, label, timeLimit, shown, wallTimeMs, notes, isElsewhere } = started;
  const lines = [
    ...notes,
    `Background job ${job.id} started: ${label}`,
    // Elsewhere neither the file is there nor do the numbers mean anything to who reads them here.
    ...(isElsewhere
      ? []
      : [`${whoIs(job)}Its output goes to ${job.outputFile}, which ends with how it ended.`]),
    'The job tool takes this id: peek shows what it printed, wait waits for its end, a line or a port, send answers it, kill ends it.',
    // One that waits in a queue has no process, and group 0 is that of whoever asks.
    ...(job.pid === 0 || isElsewhere ? [] : [`To stop it: kill -9 -${job.pgid}`]),
  ];
  const text = shown?.output.text ?? '';
  return {
    text: text === '' ? lines.join('\n') : withLines(text, lines),
    isError: false,
    details: {
      ...limitDetails(timeLimit),
      ...(shown === null ? {} : { wallTimeMs, ...cutDetails(shown) }),
      async: { state: 'running', jobId: job.id, type: 'bash' },
    },
  };
}

function whoIs({ pid, pgid }: Started['job']): string {
  return pid === 0 ? '' : `Process ${pid}, process group ${pgid}. `;
}

export function shapeRefused(error: NacreError, { timeoutMs, maxTimeoutMs }: ResolvedOptions): Shaped {
  const details = limitDetails(fixedLimit(Math.min(timeoutMs, maxTimeoutMs)));
  return { text: error.message, isError: true, details };
}

function cutDetails({ truncation }: Shown): Readonly<Record<string, unknown>> {
  return truncation === null ? {} : { meta: { truncation } };
}

function limitDetails({ ms, requestedSeconds }: TimeLimit): Readonly<Record<string, unknown>> {
  return {
    timeoutSeconds: (ms ?? 0) / 1_000,
    ...(ms === null ? { timeoutDisabled: true } : {}),
    ...(requestedSeconds === null ? {} : { requestedTimeoutSeconds: requestedSeconds }),
  };
}

/** Lines below a text, one blank line apart from it. */
function withLines(text: string, lines: readonly string[]): string {
  return lines.length === 0 ? text : `${text.replace(/\n$/, '')}\n\n${lines.join('\n')}`;
}
