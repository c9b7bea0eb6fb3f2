import type { CallOptions } from '../contract/call-options.ts';
import type { CallResult } from '../contract/result.ts';
import type { SpanAttributes } from '../contract/tracer.ts';
import type { JobResult } from '../jobs/job-tool.ts';
import type { CallSpan, Telemetry } from '../telemetry/telemetry.ts';

type TraceContextOptions = Pick<CallOptions, 'traceparent' | 'tracestate'>;

/** Carries out a call within its span; what it is given goes into the command's environment. */
export async function traceCall(
  telemetry: Telemetry,
  call: TraceContextOptions,
  work: (variables: CallSpan['variables']) => Promise<CallResult>,
): Promise<CallResult> {
  const span = telemetry.start('bash', call);
  try {
    const result = await work(span.variables);
    span.end(toCallAttributes(result), toCallErrorType(result));
    return result;
  } catch (error) {
    span.end({}, 'failed');
    throw error;
  }
}

/** The same for the job tool. */
export async function traceJob(
  telemetry: Telemetry,
  call: TraceContextOptions,
  work: () => Promise<JobResult>,
): Promise<JobResult> {
  const span = telemetry.start('job', call);
  try {
    const result = await work();
    const { action } = result.details;
    span.end(action === null ? {} : { 'nacre.job.action': action }, result.error?.id ?? null);
    return result;
  } catch (error) {
    span.end({}, 'failed');
    throw error;
  }
}

/** What a span says of a result: how it ended and how much there was, nothing of what was run or printed. */
export function toCallAttributes({ run, error }: CallResult): SpanAttributes {
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
export function toCallErrorType({ run, error }: CallResult): string | null {
  if (error !== undefined) return error.id;
  return ['timed_out', 'aborted', 'lost', 'signaled'].includes(run.status) ? run.status : null;
}
