import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The requests to stop that this process has received, from signals or from its caller. */
export interface StopSignals {
  /** Aborted by the first request: commands get SIGTERM and their grace period. */
  readonly signal: AbortSignal;
  /** Aborted by the second request: commands get SIGKILL at once. */
  readonly killSignal: AbortSignal;
  /** 128 + the number of the first signal; `null` when no signal has arrived. */
  exitStatus(): number | null;
  /** Counts as a request to stop; with a name, as that signal. */
  request(signal?: NodeJS.Signals): void;
  /**
   * The connection has ended, which is a first request and never a second one: a stop closes the connection itself,
   * and clients close it together with a signal.
   */
  disconnected(): void;
}

/**
 * Handles SIGINT, SIGTERM and SIGHUP until this process exits.
 *
 * The handlers are never removed: the default action of a later signal would end this process before its commands.
 */
export function listenForStopSignals(): StopSignals {
  const [first, second] = [new AbortController(), new AbortController()];
  let status: number | null = null;
  const request = (signal?: NodeJS.Signals): void => {
    if (signal !== undefined) status ??= 128 + (constants.signals[signal] ?? 0);
    if (first.signal.aborted) second.abort();
    first.abort();
  };
  for (const signal of SIGNALS) process.on(signal, () => request(signal));
  return {
    signal: first.signal,
    killSignal: second.signal,
    exitStatus: () => status,
    request,
    disconnected: () => first.abort(),
  };
}
