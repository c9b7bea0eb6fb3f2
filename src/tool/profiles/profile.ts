import type { Condenser } from '../../engine/output/condensers/condenser.ts';
import type { OutputView, Truncation } from '../../engine/output/output-view.ts';
import type { WindowSizes } from '../../engine/output/output-window.ts';
import type { RawOutput } from '../../engine/output/raw/raw-output.ts';
import type { SecretMask } from '../../engine/output/secret-mask.ts';
import type { Ending } from '../../engine/run/run-request.ts';
import type { NacreError } from '../../errors.ts';
import type { CallInput } from '../contract/hooks.ts';
import type { InputSchema } from '../contract/input-schema.ts';
import type { CallOutcome, JobHandle, MachineOutput } from '../contract/result.ts';
import type { ProfileName, ResolvedOptions } from '../options/bash-options.ts';
import type { CallRequest, TimeLimit } from './call-request.ts';

/** The whole output of a run, for a profile to show what it will of it. */
export interface PrintedOutput {
  /** Both streams, unless they are shown apart. */
  readonly out: RawOutput;
  readonly err: RawOutput;
  /** `artifact://<id>`, or `null` when the full output was not kept. */
  readonly artifact: string | null;
  readonly mask: SecretMask;
  readonly headLines: number | null;
  readonly tailLines: number | null;
  /** Asked when the output does not fit: what makes it shorter. */
  readonly condenser: () => Promise<Condenser | null>;
}

/** What is shown of an output. */
export interface ShownOutput {
  readonly output: MachineOutput;
  /** How it was cut; `null` when it is whole. */
  readonly truncation: Truncation | null;
  /** Of a run whose streams are shown apart. */
  readonly apart: { readonly stdout: string; readonly stderr: string } | null;
}

/** The parts of a view that the machine form has. */
export function toMachineOutput({ text, totalBytes, totalLines, shown, omitted }: OutputView): MachineOutput {
  return { text, totalBytes, totalLines, shown, omitted };
}

/** One model-facing contract: data, and how a result is put. It starts, stops and reads no process. */
export interface Profile {
  readonly name: ProfileName;
  readonly streams: 'merged' | 'apart';
  /** How much of the raw output is held in memory; the rest is read from disk where it is needed. */
  readonly window: WindowSizes;
  /** Whether a leading `cd <path> &&` becomes the directory the command starts in. */
  readonly liftsLeadingCd: boolean;
  /** Whether prompts, pagers and the like are disarmed. */
  readonly disablesPrompts: boolean;
  /** In characters. */
  readonly maxCommandLength: number;
  /** The field, and its value, that asks for a job; `null` where there are no jobs. */
  readonly background: { readonly field: string; readonly value: unknown } | null;
  inputSchema(options: ResolvedOptions): InputSchema;
  describe(options: ResolvedOptions): string;
  /** `input` fits the schema. */
  toRequest(input: CallInput, options: ResolvedOptions): CallRequest;
  /** What is shown of an output. */
  show(printed: PrintedOutput): Promise<ShownOutput>;
  shapeFinished(finished: FinishedSummary): ShapedResult;
  shapeStarted(started: StartedSummary): ShapedResult;
  shapeRefused(error: NacreError, options: ResolvedOptions): ShapedResult;
}

/** A run that is over. */
export interface FinishedSummary {
  readonly ending: Ending;
  readonly outcome: CallOutcome;
  readonly wallTimeMs: number;
  readonly timeLimit: TimeLimit;
  readonly shown: ShownOutput;
  readonly notes: readonly string[];
}

/** A run that nobody waits for. */
export interface StartedSummary {
  readonly job: JobHandle;
  /** What was started, short. */
  readonly label: string;
  readonly timeLimit: TimeLimit;
  /** What it printed while somebody waited; `null` when nobody did. */
  readonly shown: ShownOutput | null;
  readonly wallTimeMs: number;
  readonly notes: readonly string[];
  /** Whether it runs where this machine's files and numbers mean nothing. */
  readonly isSandboxedOrRemote: boolean;
}

/** What a profile makes of it. */
export interface ShapedResult {
  readonly text: string;
  readonly isError: boolean;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Why a run ended, as the last line of a text; `null` when it did what it was asked to. */
export function renderExitLine({
  ending,
  outcome,
  timeLimit,
}: Pick<FinishedSummary, 'ending' | 'outcome' | 'timeLimit'>): string | null {
  if (ending.kind === 'stopped' && ending.reason === 'output_limit') {
    return 'Command ended: its output reached the limit of what is kept (storage.maxRunBytes)';
  }
  switch (outcome.status) {
    case 'timed_out':
      return `Command timed out after ${(timeLimit.ms ?? 0) / 1_000} seconds`;
    case 'aborted':
      return 'Command aborted';
    case 'lost':
      return 'Command failed: missing exit status';
    default:
      return outcome.exitCode === 0 ? null : `Command exited with code ${renderExitCode(outcome)}`;
  }
}

/** `3`, `137 (SIGKILL)`. */
export function renderExitCode({ exitCode, signal }: FinishedSummary['outcome']): string {
  return signal === null ? `${exitCode}` : `${exitCode} (${signal})`;
}

const DURATION_UNITS = [
  { ms: 3_600_000, long: 'hours', short: 'h' },
  { ms: 60_000, long: 'minutes', short: 'min' },
] as const;

/** `300 seconds`, `24 hours`: hours and minutes from ten on, where they are whole; else seconds. */
export function renderLongDuration(ms: number): string {
  const unit = DURATION_UNITS.find((candidate) => ms % candidate.ms === 0 && ms / candidate.ms >= 10);
  return unit ? `${ms / unit.ms} ${unit.long}` : `${ms / 1_000} seconds`;
}

/** `30s`, `15min`, `24h`: the largest unit that leaves a whole number. */
export function renderShortDuration(ms: number): string {
  const unit = DURATION_UNITS.find((candidate) => ms % candidate.ms === 0);
  return unit ? `${ms / unit.ms}${unit.short}` : `${ms / 1_000}s`;
}
