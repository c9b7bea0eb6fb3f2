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
import type { SandboxEscalation, SlurmArrayRequest } from './host-fields.ts';

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

/** What a call asks for, in our words: the same for every profile. */
export interface CallRequest {
  readonly command: string;
  /** As it was given; `null` when the call named none. */
  readonly cwd: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly timeLimit: TimeLimit;
  /** Lines to show from the start, and then from the end of those; `null` for no limit. */
  readonly head: number | null;
  readonly tail: number | null;
  /** Whether the output is to be shown without anything left out that would fit. */
  readonly raw: boolean;
  readonly stdin: CallStdin | null;
  /** Whether a terminal is asked for. */
  readonly pty: boolean;
  /** How long the call waits until its command goes on as a job; `null`: to the end. */
  readonly waitMs: number | null;
  /** Whether the call returns at once and the command goes on as a job. */
  readonly background: boolean;
  readonly service: ServiceRequest | null;
  /** What it asks for beyond its sandbox. */
  readonly sandbox: SandboxEscalation | null;
  /** The tasks of an array of a cluster, each of which is a job. */
  readonly array: SlurmArrayRequest | null;
}

/** What the command reads: a text, or what is sent to it while it runs. */
export type CallStdin = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'open' };

/** How long a command may run. */
export interface TimeLimit {
  /** `null`: no limit. */
  readonly ms: number | null;
  /** Whether the call named it. */
  readonly isExplicit: boolean;
  /** What the call asked for, in seconds, when that was not what it got. */
  readonly requestedSeconds: number | null;
  readonly notes: readonly string[];
}

const MIN_TIMEOUT_MS = 1_000;

/** Where a limit comes from. */
export interface TimeLimitSources {
  readonly requestedSeconds: number | undefined;
  readonly defaultMs: number;
  readonly maxMs: number;
}

/** Seconds become milliseconds here and nowhere else. What is out of range is clamped, and said. */
export function toTimeLimit({ requestedSeconds, defaultMs, maxMs }: TimeLimitSources): TimeLimit {
  if (requestedSeconds === undefined) return toDefaultTimeLimit(Math.min(defaultMs, maxMs));
  if (requestedSeconds === 0) return { ...toDefaultTimeLimit(null), isExplicit: true };
  const wantedMs = Number.isNaN(requestedSeconds) ? defaultMs : requestedSeconds * 1_000;
  const ms = Math.min(Math.max(wantedMs, MIN_TIMEOUT_MS), maxMs);
  if (ms === requestedSeconds * 1_000) return { ...toDefaultTimeLimit(ms), isExplicit: true };
  const note = `Timeout clamped to ${ms / 1_000}s (requested ${requestedSeconds}s; allowed range 1-${maxMs / 1_000}s).`;
  return { ms, isExplicit: true, requestedSeconds, notes: [note] };
}

/** A limit that no call asked for. */
export function toDefaultTimeLimit(ms: number | null): TimeLimit {
  return { ms, isExplicit: false, requestedSeconds: null, notes: [] };
}

/** When a service that ended is started again. */
export type RestartPolicy = 'never' | 'on-failure' | 'always';

/** What tells that a service is ready: both, where both are given. */
export interface ReadyCondition {
  /** A regular expression that matches a line of its output. */
  readonly log: string | null;
  /** A port on this machine that takes connections. */
  readonly port: number | null;
}

/** A job with a name. */
export interface ServiceRequest {
  readonly name: string;
  readonly ready: ReadyCondition | null;
  readonly restart: RestartPolicy;
}

/** What is asked by a call that can say little more than its command. */
export function toMinimalRequest(
  asked: Pick<CallRequest, 'command' | 'timeLimit' | 'background'>,
): CallRequest {
  return {
    ...asked,
    cwd: null,
    env: {},
    head: null,
    tail: null,
    raw: false,
    stdin: null,
    pty: false,
    waitMs: null,
    service: null,
    sandbox: null,
    array: null,
  };
}
