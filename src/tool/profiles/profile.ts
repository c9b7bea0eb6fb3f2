import type { WindowSizes } from '../../engine/output/window.ts';
import type { Ending } from '../../engine/run/ending.ts';
import type { NacreError } from '../../errors.ts';
import type { CallInput } from '../hooks.ts';
import type { InputSchema } from '../input/schema.ts';
import type { ProfileName } from '../options/options.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import type { Outcome } from '../outcome/outcome.ts';
import type { Printed, Shown } from '../outcome/shown.ts';
import type { CallRequest } from '../planning/request.ts';
import type { TimeLimit } from '../planning/time-limit.ts';
import type { JobHandle } from '../result.ts';

/** One model-facing contract: data, and how a result is put. It starts, stops and reads no process. */
export interface Profile {
  readonly name: ProfileName;
  readonly streams: 'merged' | 'apart';
  /** How much of the raw output is held in memory; the rest is read from disk where it is needed. */
  readonly window: WindowSizes;
  /** Whether a leading `cd <path> &&` becomes the directory the command starts in. */
  readonly movesCd: boolean;
  /** Whether prompts, pagers and the like are disarmed. */
  readonly disarms: boolean;
  /** In characters. */
  readonly maxCommandLength: number;
  /** The field, and its value, that asks for a job; `null` where there are no jobs. */
  readonly background: { readonly field: string; readonly value: unknown } | null;
  inputSchema(options: ResolvedOptions): InputSchema;
  describe(options: ResolvedOptions): string;
  /** `input` fits the schema. */
  toRequest(input: CallInput, options: ResolvedOptions): CallRequest;
  /** What is shown of an output. */
  show(printed: Printed): Promise<Shown>;
  shapeFinished(finished: Finished): Shaped;
  shapeStarted(started: Started): Shaped;
  shapeRefused(error: NacreError, options: ResolvedOptions): Shaped;
}

/** A run that is over. */
export interface Finished {
  readonly ending: Ending;
  readonly outcome: Outcome;
  readonly wallTimeMs: number;
  readonly timeLimit: TimeLimit;
  readonly shown: Shown;
  readonly notes: readonly string[];
}

/** A run that nobody waits for. */
export interface Started {
  readonly job: JobHandle;
  /** What was started, short. */
  readonly label: string;
  readonly timeLimit: TimeLimit;
  /** What it printed while somebody waited; `null` when nobody did. */
  readonly shown: Shown | null;
  readonly wallTimeMs: number;
  readonly notes: readonly string[];
  /** Whether it runs where this machine's files and numbers mean nothing. */
  readonly isElsewhere: boolean;
}

/** What a profile makes of it. */
export interface Shaped {
  readonly text: string;
  readonly isError: boolean;
  readonly details: Readonly<Record<string, unknown>>;
}
