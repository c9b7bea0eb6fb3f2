import { constants } from 'node:os';
import type { ProcessName } from '../../engine/hosts/host.ts';
import type { ProcessScanner } from '../../engine/process/process-scanner.ts';
import type { RunStore, StoredRun } from '../../engine/run/run-store.ts';
import { signalRun, stopRun } from '../../engine/run/stop-run.ts';
import { waitForRuns } from '../../engine/watch/wait-for-runs.ts';
import { describeValue } from '../../validator.ts';
import { badInputError } from '../contract/input-schema.ts';
import { hasLiveProcesses } from './job-info.ts';

/** Options of `kill`. */
export interface KillOptions {
  /**
   * The one signal that is sent to all processes of the job.
   *
   * @default 'SIGTERM'
   */
  readonly signal?: NodeJS.Signals | undefined;
  /**
   * Send SIGTERM, then SIGKILL to processes that survive the grace period; `signal` is ignored.
   *
   * @default false
   */
  readonly escalate?: boolean | undefined;
  /**
   * Time between SIGTERM and SIGKILL.
   *
   * @default 2_000
   */
  readonly graceMs?: number;
}

/** Signals after which the exit status is awaited for a short time. */
const TERMINATING_SIGNALS: ReadonlySet<string> = new Set([
  'SIGTERM',
  'SIGKILL',
  'SIGINT',
  'SIGQUIT',
  'SIGHUP',
  'SIGABRT',
]);
const EXIT_WAIT_MS = 500;

/** Signals or stops a job. Resolves with the survivors when `escalate` is set. */
export async function killJob(
  run: StoredRun,
  options: KillOptions,
  { store, scanner }: { readonly store: RunStore; readonly scanner: ProcessScanner },
): Promise<readonly ProcessName[]> {
  const { signal = 'SIGTERM', escalate = false, graceMs = 2_000 } = options;
  if (!Object.hasOwn(constants.signals, signal)) {
    throw badInputError(
      'signal',
      `expected the name of a signal, such as SIGTERM, got ${describeValue(signal)}`,
    );
  }
  // The pids of an ended run may have been reused.
  if (!hasLiveProcesses(run)) return [];
  const survivors = escalate ? await stopRun(run, { graceMs, scanner }) : [];
  if (!escalate) await signalRun(run, { signal, scanner });
  if (escalate || TERMINATING_SIGNALS.has(signal))
    await waitForRuns([{ kind: 'ended', run: run.id }], { store, timeoutMs: EXIT_WAIT_MS });
  return survivors;
}

/** Parses a signal name or number: `TERM`, `SIGTERM`, `term` and `15` are the same. */
export function parseSignal(word: string): NodeJS.Signals | undefined {
  const known = Object.entries(constants.signals) as [NodeJS.Signals, number][];
  const name = word.toUpperCase().replace(/^(?!SIG)/, 'SIG');
  return known.find(([signal, number]) => signal === name || String(number) === word)?.[0];
}
