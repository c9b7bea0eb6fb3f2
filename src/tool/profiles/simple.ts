import type { OutputView } from '../../engine/output/output-view.ts';
import { PROFILE_WINDOW_SIZES } from '../../engine/output/output-window.ts';
import { toSimpleView } from '../../engine/output/views/simple-view.ts';
import type { CallInput } from '../contract/hooks.ts';
import type { InputSchema } from '../contract/input-schema.ts';
import type { LineRange, MachineOutput } from '../contract/result.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import type {
  CallRequest,
  FinishedSummary,
  PrintedOutput,
  Profile,
  ShapedResult,
  ShownOutput,
} from './profile.ts';
import { renderExitLine, renderLongDuration, toDefaultTimeLimit, toMinimalRequest } from './profile.ts';

/** The `simple` profile: one field in; stdout, stderr and exit code out, as one JSON object. */
export const simpleProfile: Profile = {
  name: 'simple',
  streams: 'apart',
  // Only updates show the last part.
  window: { ...PROFILE_WINDOW_SIZES.simple, tailBytes: 64 * 1024 },
  liftsLeadingCd: false,
  disablesPrompts: false,
  maxCommandLength: 1_048_576,
  background: null,
  inputSchema: () => SIMPLE_SCHEMA,
  describe: renderSimpleDescription,
  toRequest: toSimpleRequest,
  show: showSimpleOutput,
  shapeFinished: shapeSimpleFinished,
  shapeStarted: ({ job }) => toJsonResult({ stdout: '', stderr: '', job }),
  shapeRefused: (error) => toJsonResult({ error: error.message }),
};

const SIMPLE_SCHEMA: InputSchema = {
  type: 'object',
  required: ['command'],
  additionalProperties: false,
  properties: { command: { type: 'string', description: 'The bash command to execute' } },
};

function renderSimpleDescription({ timeoutMs, cwd }: ResolvedOptions): string {
  return [
    'Execute a bash command and return stdout/stderr',
    `Commands run in ${cwd} for at most ${renderLongDuration(timeoutMs)}, without a terminal, each in a new shell. Up to 1 MiB of each stream is returned.`,
  ].join('\n\n');
}

function toSimpleRequest(checked: CallInput, options: ResolvedOptions): CallRequest {
  const { command } = checked as { command: string };
  return toMinimalRequest({ command, timeLimit: toDefaultTimeLimit(options.timeoutMs), background: false });
}

async function showSimpleOutput({ out, err, mask }: PrintedOutput): Promise<ShownOutput> {
  const [stdout, stderr] = await Promise.all([toSimpleView(out, mask), toSimpleView(err, mask)]);
  return {
    output: concatenateViews(stdout, stderr),
    truncation: null,
    apart: { stdout: stdout.text, stderr: stderr.text },
  };
}

function concatenateViews(first: OutputView, second: OutputView): MachineOutput {
  const lines = (first.omitted?.lines ?? 0) + (second.omitted?.lines ?? 0);
  const bytes = (first.omitted?.bytes ?? 0) + (second.omitted?.bytes ?? 0);
  return {
    text: first.text + second.text,
    totalBytes: first.totalBytes + second.totalBytes,
    totalLines: first.totalLines + second.totalLines,
    shown: joinLineRanges(first, second),
    omitted: first.omitted === null && second.omitted === null ? null : { lines, bytes },
  };
}

function joinLineRanges({ shown, totalLines }: OutputView, second: OutputView): readonly LineRange[] {
  const later = second.shown.map(({ from, to }) => ({ from: from + totalLines, to: to + totalLines }));
  const [last, next] = [shown.at(-1), later[0]];
  const touch = last !== undefined && next !== undefined && last.to + 1 === next.from;
  if (!touch) return [...shown, ...later];
  return [...shown.slice(0, -1), { from: last.from, to: next.to }, ...later.slice(1)];
}

function shapeSimpleFinished(finished: FinishedSummary): ShapedResult {
  const { shown, notes, outcome } = finished;
  const { stdout, stderr } = shown.apart ?? { stdout: shown.output.text, stderr: '' };
  const error = toSimpleError(finished, stderr);
  return toJsonResult({
    ...(error === null ? {} : { error }),
    stdout,
    stderr,
    ...(outcome.exitCode === null ? {} : { exitCode: outcome.exitCode }),
    ...(notes.length === 0 ? {} : { notes }),
  });
}

/** A non-zero exit code is not an error here; a command that was not found, or was stopped, is. */
function toSimpleError(finished: FinishedSummary, stderr: string): string | null {
  const { ending } = finished;
  if (ending.kind === 'signaled') return null;
  if (ending.kind !== 'exited') return renderExitLine(finished);
  if (ending.exitCode === 127)
    return findLastMatchingLine(stderr, /not found|No such file/i) ?? 'command not found';
  return ending.exitCode === 126
    ? (findLastMatchingLine(stderr, /denied|cannot|Is a directory/i) ?? 'permission denied')
    : null;
}

/** Finds the error message of bash, which names the command. */
function findLastMatchingLine(stderr: string, pattern: RegExp): string | null {
  return stderr.split('\n').findLast((line) => pattern.test(line)) ?? null;
}

function toJsonResult(details: Readonly<Record<string, unknown>>): ShapedResult {
  return { text: JSON.stringify(details), isError: 'error' in details, details };
}
