import { PROFILE_WINDOW_SIZES } from '../../engine/output/output-window.ts';
import { toModesView } from '../../engine/output/views/modes-view.ts';
import type { CallInput } from '../contract/hooks.ts';
import type { InputSchema } from '../contract/input-schema.ts';
import { isSuccess } from '../contract/result.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import {
  type CallRequest,
  type FinishedSummary,
  type PrintedOutput,
  type Profile,
  renderExitCode,
  renderExitLine,
  renderShortDuration,
  type ShapedResult,
  type ShownOutput,
  type StartedSummary,
  toDefaultTimeLimit,
  toMachineOutput,
  toMinimalRequest,
} from './profile.ts';

/** The `modes` profile: a command and a mode that sets the time limit. */
export const modesProfile: Profile = {
  name: 'modes',
  streams: 'merged',
  window: PROFILE_WINDOW_SIZES.modes,
  liftsLeadingCd: false,
  disablesPrompts: true,
  maxCommandLength: 240_000,
  background: { field: 'mode', value: 'background' },
  inputSchema: createModesSchema,
  describe: renderModesDescription,
  toRequest: toModesRequest,
  show: showModesOutput,
  shapeFinished: shapeModesFinished,
  shapeStarted: shapeModesStarted,
  shapeRefused: (error) => ({ text: error.message, isError: true, details: {} }),
};

function toModesRequest(checked: CallInput, options: ResolvedOptions): CallRequest {
  const { command, mode = 'default' } = checked as {
    command: string;
    mode?: 'default' | 'slow' | 'background';
  };
  const { timeoutMs, slowTimeoutMs, jobTimeoutMs } = options;
  const limits = { default: timeoutMs, slow: slowTimeoutMs, background: jobTimeoutMs };
  return toMinimalRequest({
    command,
    timeLimit: toDefaultTimeLimit(limits[mode]),
    background: mode === 'background',
  });
}

async function showModesOutput({ out, mask, artifact }: PrintedOutput): Promise<ShownOutput> {
  const view = await toModesView(out, { artifact, mask });
  return { output: toMachineOutput(view), truncation: view.truncation, apart: null };
}

function shapeModesFinished(finished: FinishedSummary): ShapedResult {
  const { shown, notes, outcome, wallTimeMs } = finished;
  const { exitCode, signal, status } = outcome;
  const output = shown.output.text === '' ? '(no output)' : shown.output.text;
  const first = renderModesExitLine(finished);
  const above = first === null ? '' : `${first}\n`;
  const below = notes.map((note) => `\n[${note}]`).join('');
  return {
    text: below === '' ? above + output : `${above}${output.replace(/\n$/, '')}\n${below}`,
    isError: !isSuccess(outcome),
    details: { status, exitCode, signal, wallTimeMs },
  };
}

/** Renders the first line of a failed run; `null` for success. */
function renderModesExitLine(finished: FinishedSummary): string | null {
  const { ending, outcome, timeLimit } = finished;
  if (outcome.status === 'timed_out') return `[command timed out after ${(timeLimit.ms ?? 0) / 1_000}s]`;
  const ordinary = ending.kind === 'exited' || ending.kind === 'signaled';
  if (!ordinary) return `[${renderExitLine(finished)?.replace(/^Command/, 'command')}]`;
  return isSuccess(outcome) ? null : `[command failed: exit code ${renderExitCode(outcome)}]`;
}

function shapeModesStarted({ job, shown, notes }: StartedSummary): ShapedResult {
  const lines = [
    `<pid>${job.pid}</pid>`,
    `<output_file>${job.outputFile}</output_file>`,
    // A job that waits in a cluster's queue has no process, and group 0 is the group of the reader.
    `<reminder>To stop: ${job.pgid === 0 ? `scancel --name=nacre-${job.id}` : `kill -9 -${job.pgid}`}</reminder>`,
    ...notes.map((note) => `[${note}]`),
  ];
  const output =
    shown === null || shown.output.text === '' ? '' : `${shown.output.text.replace(/\n$/, '')}\n\n`;
  return { text: output + lines.join('\n'), isError: false, details: { status: 'running', jobId: job.id } };
}

/** Creates the input schema of the `modes` profile. */
export function createModesSchema({ timeoutMs, slowTimeoutMs, async }: ResolvedOptions): InputSchema {
  const [fast, slow] = [renderShortDuration(timeoutMs), renderShortDuration(slowTimeoutMs)];
  const background = async.enabled ? ', background (detached)' : '';
  return {
    type: 'object',
    required: ['command'],
    additionalProperties: false,
    properties: {
      command: { type: 'string', description: 'Shell command to execute via bash -c' },
      mode: {
        type: 'string',
        enum: ['default', 'slow', ...(async.enabled ? ['background'] : [])],
        description: `Execution mode: default (${fast} timeout), slow (${slow} timeout)${background}`,
      },
    },
  };
}

/** Renders the description of the `modes` profile. */
export function renderModesDescription({ cwd, async }: ResolvedOptions): string {
  return [
    `Executes shell commands via bash -c, returning combined stdout/stderr.
Bash state changes (working dir, variables, aliases) don't persist between calls.`,
    ...(async.enabled ? [BACKGROUND_PARAGRAPH] : []),
    `Use mode="slow" for potentially slow commands: builds, downloads,
installs, tests, or any other substantive operation.`,
    `IMPORTANT: Keep commands concise. The command input must be less than 60k tokens.
For complex scripts, write them to a file first and then execute the file.`,
    `<pwd>${cwd}</pwd>`,
  ].join('\n\n');
}

const BACKGROUND_PARAGRAPH = `With mode="background", returns immediately with output redirected to a file.
Use background for servers/demos that need to stay running.`;
