import { constants } from 'node:os';
import type { ProcessName } from '../../engine/hosts/host.ts';
import type { ProcessScanner } from '../../engine/process/process-scanner.ts';
import type { RunStore, StoredRun } from '../../engine/run/run-store.ts';
import { signalRun, stopRun } from '../../engine/run/stop-run.ts';
import { waitForRuns } from '../../engine/watch/wait-for-runs.ts';
import { badInputError } from '../contract/input-schema.ts';
import { describeValue } from '../contract/value-errors.ts';
import { hasLiveProcesses } from './job-info.ts';

/** How a job is ended. */
export interface KillOptions {
  /**
   * The signal to send: exactly this one, to everybody of the job.
   *
   * @default 'SIGTERM'
   */
  readonly signal?: NodeJS.Signals;
  /**
   * TERM, then after the grace KILL for whoever is left; `signal` does not count then.
   *
   * @default false
   */
  readonly escalate?: boolean;
  /**
   * Between TERM and KILL, in milliseconds.
   *
   * @default 2_000
   */
  readonly graceMs?: number;
}

/** After a signal that ends most programs, what became of it is worth a moment. */
const TERMINATING_SIGNALS: ReadonlySet<string> = new Set([
  'SIGTERM',
  'SIGKILL',
  'SIGINT',
  'SIGQUIT',
  'SIGHUP',
  'SIGABRT',
]);
const EXIT_WAIT_MS = 500;

/** Resolves with those who are left, where it was to be made certain. */
export async function killJob(
  run: StoredRun,
  options: KillOptions,
  { store, surveyor }: { readonly store: RunStore; readonly surveyor: ProcessScanner },
): Promise<readonly ProcessName[]> {
  const { signal = 'SIGTERM', escalate = false, graceMs = 2_000 } = options;
  if (!Object.hasOwn(constants.signals, signal)) {
    throw badInputError(
      'signal',
      `expected the name of a signal, such as SIGTERM, got ${describeValue(signal)}`,
    );
  }
  // Its numbers may be somebody else's by now.
  if (!hasLiveProcesses(run)) return [];
  const survivors = escalate ? await stopRun(run, { graceMs, surveyor }) : [];
  if (!escalate) await signalRun(run, { signal, surveyor });
  if (escalate || TERMINATING_SIGNALS.has(signal))
    await waitForRuns([{ kind: 'ended', run: run.id }], { store, timeoutMs: EXIT_WAIT_MS });
  return survivors;
}

/** `TERM`, `SIGTERM`, `term` and `15` are one. */
export function parseSignal(word: string): NodeJS.Signals | undefined {
  const known = Object.entries(constants.signals) as [NodeJS.Signals, number][];
  const name = word.toUpperCase().replace(/^(?!SIG)/, 'SIG');
  return known.find(([signal, number]) => signal === name || String(number) === word)?.[0];
}
