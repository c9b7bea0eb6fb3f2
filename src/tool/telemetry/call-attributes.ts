import type { CallResult } from '../result.ts';
import type { SpanAttributes } from './tracer.ts';

/** What a span says of a result: how it ended and how much there was, nothing of what was run or printed. */
export function callAttributes({ run, error }: CallResult): SpanAttributes {
  return {
    'nacre.status': run.status,
    'nacre.output.bytes': run.output.totalBytes,
    'nacre.wall_time_ms': run.wallTimeMs,
    ...(run.runId === null ? {} : { 'nacre.run.id': run.runId }),
    ...(run.exitCode === null ? {} : { 'process.exit.code': run.exitCode }),
    ...(run.signal === null ? {} : { 'nacre.signal': run.signal }),
    ...(run.job === undefined ? {} : { 'nacre.job.id': run.job.id }),
    ...(error === undefined ? {} : { 'error.type': error.id }),
  };
}

/** Why a call is an error, in a word; a command that exits with a code of its own is none. */
export function callError({ run, error }: CallResult): string | null {
  if (error !== undefined) return error.id;
  return ['timed_out', 'aborted', 'lost', 'signaled'].includes(run.status) ? run.status : null;
}
