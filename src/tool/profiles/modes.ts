import { toModesView } from '../../engine/output/view/modes-view.ts';
import { WINDOW_SIZES } from '../../engine/output/window-sizes.ts';
import type { CallInput } from '../hooks.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import { succeeded } from '../outcome/outcome.ts';
import type { Printed, Shown } from '../outcome/shown.ts';
import { toOutput } from '../outcome/shown.ts';
import type { CallRequest } from '../planning/request.ts';
import { fixedLimit } from '../planning/time-limit.ts';
import { endLine, exitCodeText } from './end-line.ts';
import { modesDescription, modesSchema } from './modes-schema.ts';
import { plainRequest } from './plain-request.ts';
import type { Finished, Profile, Shaped, Started } from './profile.ts';

/** A command and a mode: the limit is the mode's, and there is nothing else to get wrong. */
export const modes: Profile = {
  name: 'modes',
  streams: 'merged',
  window: WINDOW_SIZES.modes,
  movesCd: false,
  disarms: true,
  maxCommandLength: 240_000,
  background: { field: 'mode', value: 'background' },
  inputSchema: modesSchema,
  describe: modesDescription,
  toRequest,
  show,
  shapeFinished,
  shapeStarted,
  shapeRefused: (error) => ({ text: error.message, isError: true, details: {} }),
};

function toRequest(checked: CallInput, options: ResolvedOptions): CallRequest {
  const { command, mode = 'default' } = checked as {
    command: string;
    mode?: 'default' | 'slow' | 'background';
  };
  const { timeoutMs, slowTimeoutMs, jobTimeoutMs } = options;
  const limits = { default: timeoutMs, slow: slowTimeoutMs, background: jobTimeoutMs };
  return plainRequest({ command, timeLimit: fixedLimit(limits[mode]), background: mode === 'background' });
}

async function show({ out, mask, artifact }: Printed): Promise<Shown> {
  const view = await toModesView(out, { artifact, mask });
  return { output: toOutput(view), truncation: view.truncation, apart: null };
}

function shapeFinished(finished: Finished): Shaped {
  const { shown, notes, outcome, wallTimeMs } = finished;
  const { exitCode, signal, status } = outcome;
  const output = shown.output.text === '' ? '(no output)' : shown.output.text;
  const first = firstLine(finished);
  const above = first === null ? '' : `${first}\n`;
  const below = notes.map((note) => `\n[${note}]`).join('');
  return {
    text: below === '' ? above + output : `${above}${output.replace(/\n$/, '')}\n${below}`,
    isError: !succeeded(outcome),
    details: { status, exitCode, signal, wallTimeMs },
  };
}

/** How the run ended, before its output; `null` when it did what it was asked to. */
function firstLine(finished: Finished): string | null {
  const { ending, outcome, timeLimit } = finished;
  if (outcome.status === 'timed_out') return `[command timed out after ${(timeLimit.ms ?? 0) / 1_000}s]`;
  const ordinary = ending.kind === 'exited' || ending.kind === 'signaled';
  if (!ordinary) return `[${endLine(finished)?.replace(/^Command/, 'command')}]`;
  return succeeded(outcome) ? null : `[command failed: exit code ${exitCodeText(outcome)}]`;
}

function shapeStarted({ job, shown, notes }: Started): Shaped {
  const lines = [
    `<pid>${job.pid}</pid>`,
    `<output_file>${job.outputFile}</output_file>`,
    // One that waits in a cluster's queue has no process, and group 0 is that of whoever asks.
    `<reminder>To stop: ${job.pgid === 0 ? `scancel --name=nacre-${job.id}` : `kill -9 -${job.pgid}`}</reminder>`,
    ...notes.map((note) => `[${note}]`),
  ];
  const output =
    shown === null || shown.output.text === '' ? '' : `${shown.output.text.replace(/\n$/, '')}\n\n`;
  return { text: output + lines.join('\n'), isError: false, details: { status: 'running', jobId: job.id } };
}
