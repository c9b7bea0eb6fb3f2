import { toAgentView } from '../../engine/output/view/agent-view.ts';
import { WINDOW_SIZES } from '../../engine/output/window-sizes.ts';
import type { NacreError } from '../../errors.ts';
import type { CallInput } from '../hooks.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import { succeeded } from '../outcome/outcome.ts';
import type { Printed, Shown } from '../outcome/shown.ts';
import { toOutput } from '../outcome/shown.ts';
import type { CallRequest } from '../planning/request.ts';
import type { TimeLimit } from '../planning/time-limit.ts';
import { fixedLimit, toTimeLimit } from '../planning/time-limit.ts';
import { agentDescription } from './agent-description.ts';
import { agentSchema } from './agent-schema.ts';
import { endLine } from './end-line.ts';
import type { Finished, Profile, Shaped, Started } from './profile.ts';

/** The default contract: one merged output, structured details, jobs. */
export const agent: Profile = {
  name: 'agent',
  streams: 'merged',
  window: WINDOW_SIZES.agent,
  movesCd: true,
  disarms: true,
  maxCommandLength: 1_048_576,
  background: { field: 'async', value: true },
  inputSchema: agentSchema,
  describe: agentDescription,
  toRequest,
  show,
  shapeFinished,
  shapeStarted,
  shapeRefused,
};

interface AgentInput {
  readonly command: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeout?: number;
  readonly head?: number;
  readonly tail?: number;
  readonly stdin?: string;
  readonly async?: boolean;
}

function toRequest(checked: CallInput, options: ResolvedOptions): CallRequest {
  const input = checked as unknown as AgentInput;
  const background = input.async === true;
  return {
    command: input.command,
    cwd: input.cwd ?? null,
    env: input.env ?? {},
    timeLimit: timeLimitOf(input, options),
    head: input.head ?? null,
    tail: input.tail ?? null,
    stdin: input.stdin ?? null,
    background,
  };
}

function timeLimitOf(input: AgentInput, options: ResolvedOptions): TimeLimit {
  // The ceiling is for what a call asks for: a job that names no limit has its own.
  if (input.async === true && input.timeout === undefined) return fixedLimit(options.jobTimeoutMs);
  const { timeoutMs: defaultMs, maxTimeoutMs: maxMs } = options;
  return toTimeLimit({ requestedSeconds: input.timeout, defaultMs, maxMs });
}

async function show({ out, artifact, mask, headLines, tailLines }: Printed): Promise<Shown> {
  const view = await toAgentView(out, { artifact, mask, headLines, tailLines });
  return { output: toOutput(view), truncation: view.truncation, apart: null };
}

function shapeFinished(finished: Finished): Shaped {
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
      ...(shown.truncation === null ? {} : { meta: { truncation: shown.truncation } }),
    },
  };
}

function shapeStarted({ job, label, timeLimit, notes }: Started): Shaped {
  const lines = [
    ...notes,
    `Background job ${job.id} started: ${label}`,
    `Process ${job.pid}, process group ${job.pgid}. Its output goes to ${job.outputFile}, which ends with how it ended.`,
    `To stop it: kill -9 -${job.pgid}`,
  ];
  return {
    text: lines.join('\n'),
    isError: false,
    details: { ...limitDetails(timeLimit), async: { state: 'running', jobId: job.id, type: 'bash' } },
  };
}

function shapeRefused(error: NacreError, { timeoutMs, maxTimeoutMs }: ResolvedOptions): Shaped {
  const details = limitDetails(fixedLimit(Math.min(timeoutMs, maxTimeoutMs)));
  return { text: error.message, isError: true, details };
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
