/** How long a command may run. */
export interface TimeLimit {
  /** `null`: no limit. */
  readonly ms: number | null;
  /** Whether the call named it. */
  readonly given: boolean;
  /** What the call asked for, in seconds, when that was not what it got. */
  readonly requestedSeconds: number | null;
  readonly notes: readonly string[];
}

const MIN_MS = 1_000;

/** Where a limit comes from. */
export interface LimitSources {
  readonly requestedSeconds: number | undefined;
  readonly defaultMs: number;
  readonly maxMs: number;
}

/** Seconds become milliseconds here and nowhere else. What is out of range is clamped, and said. */
export function toTimeLimit({ requestedSeconds, defaultMs, maxMs }: LimitSources): TimeLimit {
  if (requestedSeconds === undefined) return fixedLimit(Math.min(defaultMs, maxMs));
  if (requestedSeconds === 0) return { ...fixedLimit(null), given: true };
  const wantedMs = Number.isNaN(requestedSeconds) ? defaultMs : requestedSeconds * 1_000;
  const ms = Math.min(Math.max(wantedMs, MIN_MS), maxMs);
  if (ms === requestedSeconds * 1_000) return { ...fixedLimit(ms), given: true };
  const note = `Timeout clamped to ${ms / 1_000}s (requested ${requestedSeconds}s; allowed range 1-${maxMs / 1_000}s).`;
  return { ms, given: true, requestedSeconds, notes: [note] };
}

/** A limit that no call asked for. */
export function fixedLimit(ms: number | null): TimeLimit {
  return { ms, given: false, requestedSeconds: null, notes: [] };
}
