import type { SandboxEscalation, SlurmArrayRequest } from './host-fields.ts';

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
