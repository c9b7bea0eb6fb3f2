import type { CallOptions } from '../call-options.ts';
import type { JobResult } from '../job/tool/job-result.ts';
import type { CallResult } from '../result.ts';
import { ToolAbortError } from '../tool-abort-error.ts';
import { callAttributes, callError } from './call-attributes.ts';
import type { CallSpan, Telemetry } from './telemetry.ts';

type Parents = Pick<CallOptions, 'traceparent' | 'tracestate'>;

/** Carries out a call within its span; what it is given goes into the command's environment. */
export async function traceCall(
  telemetry: Telemetry,
  call: Parents,
  work: (variables: CallSpan['variables']) => Promise<CallResult>,
): Promise<CallResult> {
  const span = telemetry.start('bash', call);
  const end = (result: CallResult): void => span.end(callAttributes(result), callError(result));
  try {
    const result = await work(span.variables);
    end(result);
    return result;
  } catch (error) {
    if (error instanceof ToolAbortError) end(error.result);
    else span.end({}, 'failed');
    throw error;
  }
}

/** The same for the job tool. */
export async function traceJob(
  telemetry: Telemetry,
  call: Parents,
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
