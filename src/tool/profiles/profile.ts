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

/** The whole output of a run, as a profile gets it. */
export interface PrintedOutput {
  /** Both streams, unless the profile shows them separately. */
  readonly out: RawOutput;
  readonly err: RawOutput;
  /** `artifact://<id>`, or `null` when the full output was not kept. */
  readonly artifact: string | null;
  readonly mask: SecretMask;
  readonly headLines: number | null;
  readonly tailLines: number | null;
  /** Size limit of the shown text, where the profile has no limit of its own. */
  readonly maxBytes: number;
  /** Returns the condenser for output that does not fit. */
  readonly condenser: () => Promise<Condenser | null>;
}

/** The part of an output that a result shows. */
export interface ShownOutput {
  readonly output: MachineOutput;
  /** Details of the truncation; `null` when the output is complete. */
  readonly truncation: Truncation | null;
  /** Set when the streams are shown separately. */
  readonly apart: { readonly stdout: string; readonly stderr: string } | null;
}

/** Converts a view to the output of a machine result. */
export function toMachineOutput({ text, totalBytes, totalLines, shown, omitted }: OutputView): MachineOutput {
  return { text, totalBytes, totalLines, shown, omitted };
}

/**
 * One model-facing contract: settings and functions that shape results. It never starts, stops or reads a
 * process.
 */
export interface Profile {
  readonly name: ProfileName;
  readonly streams: 'merged' | 'apart';
  /** Bytes of raw output held in memory; the rest is read from disk on demand. */
  readonly window: WindowSizes;
  /** Whether a leading `cd <path> &&` becomes the working directory. */
  readonly liftsLeadingCd: boolean;
  /** Whether prompts and pagers are disabled through environment variables. */
  readonly disablesPrompts: boolean;
  /** Length in characters. */
  readonly maxCommandLength: number;
  /** Field and value that request a job; `null` when the profile has no jobs. */
  readonly background: { readonly field: string; readonly value: unknown } | null;
  inputSchema(options: ResolvedOptions): InputSchema;
  describe(options: ResolvedOptions): string;
  /** Converts an input that fits the schema. */
  toRequest(input: CallInput, options: ResolvedOptions): CallRequest;
  /** Selects and renders the part of an output to show. */
  show(printed: PrintedOutput): Promise<ShownOutput>;
  shapeFinished(finished: FinishedSummary): ShapedResult;
  shapeStarted(started: StartedSummary): ShapedResult;
  shapeRefused(error: NacreError, options: ResolvedOptions): ShapedResult;
}

/** A run that ended, as a profile shapes it. */
export interface FinishedSummary {
  readonly ending: Ending;
  readonly outcome: CallOutcome;
  readonly wallTimeMs: number;
  readonly timeLimit: TimeLimit;
  readonly shown: ShownOutput;
  readonly notes: readonly string[];
}

/** A run that continues as a job, as a profile shapes it. */
export interface StartedSummary {
  readonly job: JobHandle;
  /** First line of the command, shortened. */
  readonly label: string;
  readonly timeLimit: TimeLimit;
  /** Output of the foreground phase; `null` for a run that started in the background. */
  readonly shown: ShownOutput | null;
  readonly wallTimeMs: number;
  readonly notes: readonly string[];
  /** Whether files and process ids of the run are invalid on this machine. */
  readonly isSandboxedOrRemote: boolean;
}

/** Text, error flag and details of a result. */
export interface ShapedResult {
  readonly text: string;
  readonly isError: boolean;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Renders how a run ended, as the last line of a result; `null` for exit code 0. */
export function renderExitLine({
  ending,
  outcome,
  timeLimit,
}: Pick<FinishedSummary, 'ending' | 'outcome' | 'timeLimit'>): string | null {
  if (ending.kind === 'stopped' && ending.reason === 'output_limit') {
    return 'Command stopped: its output reached the storage limit (storage.maxRunBytes)';
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

/** Renders an exit code: `3`, `137 (SIGKILL)`. */
export function renderExitCode({ exitCode, signal }: FinishedSummary['outcome']): string {
  return signal === null ? `${exitCode}` : `${exitCode} (${signal})`;
}

const DURATION_UNITS = [
  { ms: 3_600_000, long: 'hours', short: 'h' },
  { ms: 60_000, long: 'minutes', short: 'min' },
] as const;

/** Renders a duration: `300 seconds`, `24 hours`. Minutes and hours are used for whole amounts from ten on. */
export function renderLongDuration(ms: number): string {
  const unit = DURATION_UNITS.find((candidate) => ms % candidate.ms === 0 && ms / candidate.ms >= 10);
  return unit ? `${ms / unit.ms} ${unit.long}` : `${ms / 1_000} seconds`;
}

/** Renders a duration in its largest whole unit: `30s`, `15min`, `24h`. */
export function renderShortDuration(ms: number): string {
  const unit = DURATION_UNITS.find((candidate) => ms % candidate.ms === 0);
  return unit ? `${ms / unit.ms}${unit.short}` : `${ms / 1_000}s`;
}

/** A call request, in the same form for every profile. */
export interface CallRequest {
  readonly command: string;
  /** Directory as given; `null` when the call has none. */
  readonly cwd: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly timeLimit: TimeLimit;
  /** Lines to show from the start, then from the end of those; `null` for no limit. */
  readonly head: number | null;
  readonly tail: number | null;
  /** Whether output is shown without condensing. */
  readonly raw: boolean;
  readonly stdin: CallStdin | null;
  /** Whether a terminal is requested. */
  readonly pty: boolean;
  /** Milliseconds until the command continues as a job; `null` to wait for its end. */
  readonly waitMs: number | null;
  /** Whether the command starts as a job. */
  readonly background: boolean;
  readonly service: ServiceRequest | null;
  /** Requested wider sandbox. */
  readonly sandbox: SandboxEscalation | null;
  /** Requested job array of a cluster. */
  readonly array: SlurmArrayRequest | null;
}

/** Standard input of a command: a text, or open for input that is sent later. */
export type CallStdin = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'open' };

/** Time limit of a command. */
export interface TimeLimit {
  /** `null` for no limit. */
  readonly ms: number | null;
  /** Whether the call set it. */
  readonly isExplicit: boolean;
  /** Requested seconds when the limit was clamped. */
  readonly requestedSeconds: number | null;
  readonly notes: readonly string[];
}

const MIN_TIMEOUT_MS = 1_000;

/** Requested, default and maximum time limits. */
export interface TimeLimitSources {
  readonly requestedSeconds: number | undefined;
  readonly defaultMs: number;
  readonly maxMs: number;
}

/** Converts seconds to a time limit; a value out of range is clamped with a note. */
export function toTimeLimit({ requestedSeconds, defaultMs, maxMs }: TimeLimitSources): TimeLimit {
  if (requestedSeconds === undefined) return toDefaultTimeLimit(Math.min(defaultMs, maxMs));
  if (requestedSeconds === 0) return { ...toDefaultTimeLimit(null), isExplicit: true };
  const wantedMs = Number.isNaN(requestedSeconds) ? defaultMs : requestedSeconds * 1_000;
  const ms = Math.min(Math.max(wantedMs, MIN_TIMEOUT_MS), maxMs);
  if (ms === requestedSeconds * 1_000) return { ...toDefaultTimeLimit(ms), isExplicit: true };
  const note = `Timeout clamped to ${ms / 1_000}s (requested ${requestedSeconds}s; allowed range 1-${maxMs / 1_000}s).`;
  return { ms, isExplicit: true, requestedSeconds, notes: [note] };
}

/** Creates a time limit that the call did not set. */
export function toDefaultTimeLimit(ms: number | null): TimeLimit {
  return { ms, isExplicit: false, requestedSeconds: null, notes: [] };
}

/** When a service restarts after it ended. */
export type RestartPolicy = 'never' | 'on-failure' | 'always';

/** Conditions that make a service ready; all given ones must hold. */
export interface ReadyCondition {
  /** Regular expression for a line of its output. */
  readonly log: string | null;
  /** Port on this machine that accepts connections. */
  readonly port: number | null;
}

/** A named job with a restart policy and a readiness condition. */
export interface ServiceRequest {
  readonly name: string;
  readonly ready: ReadyCondition | null;
  readonly restart: RestartPolicy;
}

/** Creates a request with defaults for everything but the command, time limit and mode. */
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
