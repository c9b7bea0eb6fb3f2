import { toSimpleView } from '../../engine/output/view/simple-view.ts';
import type { View } from '../../engine/output/view/view.ts';
import { WINDOW_SIZES } from '../../engine/output/window-sizes.ts';
import type { CallInput } from '../hooks.ts';
import type { InputSchema } from '../input/schema.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import type { Printed, Shown } from '../outcome/shown.ts';
import type { CallRequest } from '../planning/request.ts';
import { fixedLimit } from '../planning/time-limit.ts';
import type { LineRange, MachineOutput } from '../result.ts';
import { renderDuration } from './duration.ts';
import { endLine } from './end-line.ts';
import { plainRequest } from './plain-request.ts';
import type { Finished, Profile, Shaped } from './profile.ts';

/** One field in; stdout, stderr and an exit code out, as one JSON object. */
export const simple: Profile = {
  name: 'simple',
  streams: 'apart',
  // Its end is shown only in updates.
  window: { ...WINDOW_SIZES.simple, tailBytes: 64 * 1024 },
  movesCd: false,
  disarms: false,
  maxCommandLength: 1_048_576,
  background: null,
  inputSchema: () => SCHEMA,
  describe,
  toRequest,
  show,
  shapeFinished,
  shapeStarted: ({ job }) => shape({ stdout: '', stderr: '', job }),
  shapeRefused: (error) => shape({ error: error.message }),
};

const SCHEMA: InputSchema = {
  type: 'object',
  required: ['command'],
  additionalProperties: false,
  properties: { command: { type: 'string', description: 'The bash command to execute' } },
};

function describe({ timeoutMs, cwd }: ResolvedOptions): string {
  return [
    'Execute a bash command and return stdout/stderr',
    `Commands run in ${cwd} for at most ${renderDuration(timeoutMs)}, without a terminal, each in a shell of its own. Up to 1 MiB of each stream is returned.`,
  ].join('\n\n');
}

function toRequest(checked: CallInput, options: ResolvedOptions): CallRequest {
  const { command } = checked as { command: string };
  return plainRequest({ command, timeLimit: fixedLimit(options.timeoutMs), background: false });
}

async function show({ out, err, mask }: Printed): Promise<Shown> {
  const [stdout, stderr] = await Promise.all([toSimpleView(out, mask), toSimpleView(err, mask)]);
  return {
    output: oneAfterTheOther(stdout, stderr),
    truncation: null,
    apart: { stdout: stdout.text, stderr: stderr.text },
  };
}

function oneAfterTheOther(first: View, second: View): MachineOutput {
  const lines = (first.omitted?.lines ?? 0) + (second.omitted?.lines ?? 0);
  const bytes = (first.omitted?.bytes ?? 0) + (second.omitted?.bytes ?? 0);
  return {
    text: first.text + second.text,
    totalBytes: first.totalBytes + second.totalBytes,
    totalLines: first.totalLines + second.totalLines,
    shown: joinRanges(first, second),
    omitted: first.omitted === null && second.omitted === null ? null : { lines, bytes },
  };
}

function joinRanges({ shown, totalLines }: View, second: View): readonly LineRange[] {
  const later = second.shown.map(({ from, to }) => ({ from: from + totalLines, to: to + totalLines }));
  const [last, next] = [shown.at(-1), later[0]];
  const touch = last !== undefined && next !== undefined && last.to + 1 === next.from;
  if (!touch) return [...shown, ...later];
  return [...shown.slice(0, -1), { from: last.from, to: next.to }, ...later.slice(1)];
}

function shapeFinished(finished: Finished): Shaped {
  const { shown, notes, outcome } = finished;
  const { stdout, stderr } = shown.apart ?? { stdout: shown.output.text, stderr: '' };
  const error = errorOf(finished, stderr);
  return shape({
    ...(error === null ? {} : { error }),
    stdout,
    stderr,
    ...(outcome.exitCode === null ? {} : { exitCode: outcome.exitCode }),
    ...(notes.length === 0 ? {} : { notes }),
  });
}

/** A command that ran and failed is no error here; one that could not be run, or did not end by itself, is. */
function errorOf(finished: Finished, stderr: string): string | null {
  const { ending } = finished;
  if (ending.kind === 'signaled') return null;
  if (ending.kind !== 'exited') return endLine(finished);
  if (ending.exitCode === 127) return lastMatching(stderr, /not found|No such file/i) ?? 'command not found';
  return ending.exitCode === 126
    ? (lastMatching(stderr, /denied|cannot|Is a directory/i) ?? 'permission denied')
    : null;
}

/** bash says it in its own words, which name the command. */
function lastMatching(stderr: string, pattern: RegExp): string | null {
  return stderr.split('\n').findLast((line) => pattern.test(line)) ?? null;
}

function shape(details: Readonly<Record<string, unknown>>): Shaped {
  return { text: JSON.stringify(details), isError: 'error' in details, details };
}
