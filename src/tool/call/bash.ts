import { NacreError } from '../../errors.ts';
import type { Explanation } from '../approvals/explain-command.ts';
import type { Approvals } from '../approvals/open-approvals.ts';
import type { CallOptions } from '../contract/call-options.ts';
import type { InputSchema } from '../contract/input-schema.ts';
import { type CallResult, ToolAbortError } from '../contract/result.ts';
import type { SpanAttributes } from '../contract/tracer.ts';
import type { Artifacts } from '../jobs/artifacts.ts';
import { SerialQueue } from '../jobs/instance-runs.ts';
import { JOB_DESCRIPTION, JOB_SCHEMA, type JobResult, toJobError } from '../jobs/job-tool.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { type LogEntry, readLog } from '../journal/journal.ts';
import type { BashOptions } from '../options/bash-options.ts';
import { resolveOptions } from '../options/resolve-options.ts';
import { withSettings } from '../options/settings.ts';
import { openSessions, type Sessions } from '../sessions/sessions.ts';
import { type CallSpan, createTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import type { CallContext } from './context.ts';
import { createInstance } from './instance.ts';
import { performCall, runAfterHook } from './perform-call.ts';

/** The bash tool of one agent session. */
export interface Bash {
  /** Name, description and input schema of the bash tool, as a model sees them. */
  readonly tool: ToolDefinition;
  /** Definition of the job tool; `null` when background jobs are off. */
  readonly jobTool: JobToolDefinition | null;
  /** Key of the session. */
  readonly session: string;
  readonly jobs: Jobs;
  readonly artifacts: Artifacts;
  /** Pending approvals of this session. */
  readonly approvals: Approvals;
  readonly log: Log;
  /** All sessions in the state directory, including this one. */
  readonly sessions: Sessions;
  /** Resets the shell state: the next command runs in a fresh shell in the start directory. */
  resetState(): void;
  /**
   * Runs one command. Refusals and bad input resolve with an error result.
   *
   * @throws {ToolAbortError} when the caller aborted the call
   * @throws {NacreError} `closed` when this instance is closed
   */
  call(input: unknown, options?: CallOptions): Promise<CallResult>;
  /**
   * Runs one action of the job tool. Bad input resolves with an error result.
   *
   * @throws {NacreError} `closed` when this instance is closed
   */
  job(input: unknown, options?: JobCallOptions): Promise<JobResult>;
  /** Explains how the policy reads a command and what it decides. Runs nothing. */
  explain(command: string): Promise<Explanation>;
  /** Ends every wait of this instance; the commands continue as jobs. */
  yield(): void;
  /** Stops foreground runs, waits for pending calls and frees all resources. */
  close(options?: CloseOptions): Promise<void>;
}

export interface ToolDefinition {
  readonly name: 'bash';
  readonly description: string;
  readonly inputSchema: InputSchema;
}

export interface JobToolDefinition {
  readonly name: 'job';
  readonly description: string;
  readonly inputSchema: InputSchema;
}

export interface JobCallOptions extends Pick<CallOptions, 'traceparent' | 'tracestate'> {
  /** Aborting it ends the wait, not the job; the call returns the current state. */
  readonly signal?: AbortSignal;
}

export interface CloseOptions {
  /** Aborting it sends SIGKILL to the runs that are being stopped, without the rest of their grace period. */
  readonly killSignal?: AbortSignal | undefined;
}

/** Read access to the command log. */
export interface Log {
  /** Returns the newest entries of this session or of all sessions, oldest first. */
  read(query?: { readonly limit?: number; readonly everySession?: boolean }): readonly LogEntry[];
}

type PerCallContext = Pick<CallContext, 'call' | 'traceVariables'>;

/**
 * Creates a bash tool. Instances share nothing but the file system.
 *
 * @throws {NacreError} `option_unknown`, `option_invalid`, `setting_unknown`, `setting_invalid`, `rule_invalid`, `state_newer`
 */
export function createBash(options: BashOptions = {}): Bash {
  const resolved = resolveOptions(withSettings(options));
  const instance = createInstance(resolved);
  const { profile, session, schema, instanceRuns } = instance;
  const { hooks, serial, stateDirectory } = instance.options;
  const telemetry = createTelemetry(resolved);
  const callQueue = serial ? new SerialQueue() : null;
  const pendingCalls = new Set<Promise<unknown>>();
  const hasJobs = instance.options.async.enabled && profile.background !== null;

  const perform = async (input: unknown, called: PerCallContext): Promise<CallResult> => {
    const work = () => performCall(input, { ...instance, ...called });
    const result = await (callQueue === null ? work() : callQueue.run(work, called.call.signal));
    return runAfterHook(hooks, { input, result });
  };

  return {
    tool: { name: 'bash', description: profile.describe(instance.options), inputSchema: schema },
    jobTool: hasJobs ? { name: 'job', description: JOB_DESCRIPTION, inputSchema: JOB_SCHEMA } : null,
    session: session.key,
    jobs: instance.jobs,
    artifacts: instance.artifacts,
    approvals: instance.approvals,
    log: {
      read: ({ limit = 100, everySession = false } = {}) =>
        readLog({ stateDirectory, limit, session: everySession ? null : session.key }),
    },
    sessions: openSessions({ stateDirectory }),
    resetState: () => instance.sessionShell?.reset(),
    call: async (input, call = {}) => {
      instanceRuns.requireOpen();
      const work = traceCall(telemetry, call, (traceVariables) => perform(input, { call, traceVariables }));
      pendingCalls.add(work);
      try {
        const result = await work;
        if (result.run.status === 'aborted') throw new ToolAbortError(result);
        return result;
      } finally {
        pendingCalls.delete(work);
      }
    },
    job: async (input, call = {}) => {
      instanceRuns.requireOpen();
      if (!hasJobs) return toJobError(new NacreError('async_disabled'), null);
      const { performJob } = await import('../jobs/perform-job.ts');
      return traceJob(telemetry, call, () => performJob(input, { ...instance, signal: call.signal }));
    },
    explain: (command) =>
      instance.policyGate.explain(command, {
        cwd: instance.options.cwd,
        definitions: instance.sessionShell?.definitionsFor(command) ?? '',
      }),
    yield: () => instance.pendingWaits.endAll(),
    close: async ({ killSignal } = {}) => {
      // Withdraws pending approvals first, so that close does not wait for their answers.
      instance.policyGate.close();
      await instanceRuns.close(killSignal);
      await Promise.allSettled(pendingCalls);
      // Stops jobs that were starting during the first close.
      await instanceRuns.close(killSignal);
      await instance.close();
      await telemetry.close();
    },
  };
}

type TraceContextOptions = Pick<CallOptions, 'traceparent' | 'tracestate'>;

/** Runs a call within a span. `work` gets the trace variables for the command's environment. */
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

/** Runs an action of the job tool within a span. */
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

/** Span attributes of a result: status, sizes and ids, without the command or its output. */
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

/** Error type of a result for its span; `null` for a command that exits with any code. */
export function toCallErrorType({ run, error }: CallResult): string | null {
  if (error !== undefined) return error.id;
  return ['timed_out', 'aborted', 'lost', 'signaled'].includes(run.status) ? run.status : null;
}
