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
import { openSessions, type Sessions } from '../sessions/sessions.ts';
import { type CallSpan, createTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import type { CallContext } from './context.ts';
import { createInstance } from './instance.ts';
import { performCall, runAfterHook } from './perform-call.ts';

/** The bash tool of one agent. */
export interface Bash {
  /** What is offered to a model. */
  readonly tool: ToolDefinition;
  /** The same for its jobs; `null` where there are none. */
  readonly jobTool: JobToolDefinition | null;
  /** The session's key. */
  readonly session: string;
  readonly jobs: Jobs;
  readonly artifacts: Artifacts;
  /** The questions of this session that wait for a person. */
  readonly approvals: Approvals;
  readonly log: Log;
  /** The sessions of the state directory, this one among them. */
  readonly sessions: Sessions;
  /** The next command has a new shell, where the session began. */
  resetState(): void;
  /**
   * One call. Resolves for everything a call can meet, refusals and bad input included.
   *
   * @throws {ToolAbortError} when the caller aborted it
   * @throws {NacreError} `closed` when this instance is closed
   */
  call(input: unknown, options?: CallOptions): Promise<CallResult>;
  /**
   * One call of the job tool. Resolves for everything a call can meet, bad input included.
   *
   * @throws {NacreError} `closed` when this instance is closed
   */
  job(input: unknown, options?: JobCallOptions): Promise<JobResult>;
  /** How a command is read, and what the policy says of it. Runs nothing. */
  explain(command: string): Promise<Explanation>;
  /** Ends every wait of this instance that can end: what is waited for goes on as a job. */
  yield(): void;
  /** Ends foreground runs and gives back everything; calls that are under way are waited for. */
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
  /** Ends a wait, never a job: the call returns how things stand. */
  readonly signal?: AbortSignal;
}

export interface CloseOptions {
  /** Aborting it sends SIGKILL to the runs that are being stopped, without the rest of their grace period. */
  readonly killSignal?: AbortSignal | undefined;
}

/** The log of every command. */
export interface Log {
  /** The newest of this session, or of all of them, oldest first. */
  read(query?: { readonly limit?: number; readonly everySession?: boolean }): readonly LogEntry[];
}

/** What belongs to one call. */
type PerCallContext = Pick<CallContext, 'call' | 'traceVariables'>;

/**
 * Makes the bash tool. Several of them share nothing.
 *
 * @throws {NacreError} `option_invalid`, `rule_invalid`, `state_newer`
 */
export function createBash(options: BashOptions = {}): Bash {
  const resolved = resolveOptions(options);
  const instance = createInstance(resolved);
  const { profile, session, schema, instanceRuns } = instance;
  const { hooks, serial, stateDirectory } = instance.options;
  const telemetry = createTelemetry(resolved);
  const turns = serial ? new SerialQueue() : null;
  const underWay = new Set<Promise<unknown>>();
  const hasJobs = instance.options.async.enabled && profile.background !== null;

  const perform = async (input: unknown, called: PerCallContext): Promise<CallResult> => {
    const work = () => performCall(input, { ...instance, ...called });
    const result = await (turns === null ? work() : turns.run(work, called.call.signal));
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
      underWay.add(work);
      try {
        const result = await work;
        if (result.run.status === 'aborted') throw new ToolAbortError(result);
        return result;
      } finally {
        underWay.delete(work);
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
      // A call that waits for an answer would be waited for, too.
      instance.policyGate.close();
      await instanceRuns.close(killSignal);
      await Promise.allSettled(underWay);
      // Jobs whose start was under way.
      await instanceRuns.close(killSignal);
      await instance.close();
      await telemetry.close();
    },
  };
}

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
