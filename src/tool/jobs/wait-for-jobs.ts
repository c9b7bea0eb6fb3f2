import type { SecretMask } from '../../engine/output/secret-mask.ts';
import type { RunStore, StoredRun } from '../../engine/run/run-store.ts';
import { type MetCondition, type WaitCondition, waitForRuns } from '../../engine/watch/wait-for-runs.ts';
import type { JobInfo } from '../contract/job.ts';
import { watchForInput } from './input-wait.ts';
import { onAbort } from './instance-runs.ts';
import { hasLiveProcesses, toJobInfo } from './job-info.ts';

/** Options of `wait`. Without a pattern or port the wait is for the end of the job. */
export interface JobWaitOptions {
  /**
   * Literal text or regular expression to find in a line of the output, including output printed before the
   * wait.
   */
  readonly pattern?: string | RegExp | undefined;
  /** Byte offset from which the pattern is searched. */
  readonly from?: number | undefined;
  /** Port on this machine that must accept connections. */
  readonly port?: number | undefined;
  /** Whether one job or all jobs must meet the condition. @default 'any' */
  readonly mode?: 'any' | 'all';
  /** Default: no limit. */
  readonly timeoutMs?: number;
  /** Ends the wait, never a job. */
  readonly signal?: AbortSignal;
}

/** Result of a wait for one job. */
export interface WaitedJob {
  readonly job: JobInfo;
  /** The condition that was met, or `null`. */
  readonly met: WaitMet | null;
}

/** The condition that ended a wait for a job. */
export type WaitMet =
  | { readonly kind: 'ended' }
  | {
      readonly kind: 'output';
      readonly line: string;
      readonly lineNumber: number | null;
      /** Byte offset for the next search. */
      readonly next: number;
    }
  | { readonly kind: 'port'; readonly port: number };

/** Result of a wait. `never`: the condition cannot be met any more. `input`: a job is waiting for input. */
export interface JobWait {
  readonly why: 'met' | 'never' | 'time' | 'input' | 'aborted';
  readonly jobs: readonly WaitedJob[];
}

interface WaitContext {
  readonly store: RunStore;
  readonly mask: SecretMask;
}

/** Waits until jobs meet a condition, until one with open input is blocked on reading it, or until the time is over. */
export async function waitForJobs(
  ids: readonly string[],
  options: JobWaitOptions,
  context: WaitContext,
): Promise<JobWait> {
  const { store } = context;
  const met = new Map<string, WaitMet>();
  const ended = new AbortController();
  let isInputWait = false;
  const onWait = (): void => {
    isInputWait = true;
    ended.abort();
  };
  const unsubscribe = onAbort(options.signal, () => ended.abort());
  const withInput = ids.filter((id) => store.find(id)?.asked.input === 'open');
  watchForInput({ ids: withInput, store, onWait, signal: ended.signal });
  try {
    const why = await waitForConditions(ids, { met, options: { ...options, signal: ended.signal }, context });
    const jobs = ids.flatMap((id) => store.find(id) ?? []);
    return {
      why: why === 'aborted' && isInputWait ? 'input' : why,
      jobs: jobs.map((run) => ({ job: toJobInfo(run), met: met.get(run.id) ?? null })),
    };
  } finally {
    unsubscribe();
    ended.abort();
  }
}

interface WaitState {
  readonly met: Map<string, WaitMet>;
  readonly options: JobWaitOptions & { readonly signal: AbortSignal };
  readonly context: WaitContext;
}

async function waitForConditions(
  ids: readonly string[],
  { met, options, context }: WaitState,
): Promise<JobWait['why']> {
  const { timeoutMs, signal, mode } = options;
  const startedAt = performance.now();
  for (;;) {
    const conditions = ids.filter((id) => !met.has(id)).flatMap((id) => toWaitConditions(id, options));
    const elapsed = performance.now() - startedAt;
    const result = await waitForRuns(conditions, {
      store: { find: (id) => asRunningWhileLive(context.store.find(id)) },
      mask: context.mask,
      signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs: Math.max(0, timeoutMs - elapsed) }),
    });
    if (result.kind !== 'held') return result.kind;
    for (const hold of result.held) met.set(runIdOf(conditions[hold.condition]), toWaitMet(hold));
    if (mode !== 'all' || met.size === ids.length) return 'met';
  }
}

function toWaitConditions(run: string, { pattern, from, port }: JobWaitOptions): WaitCondition[] {
  const conditions: WaitCondition[] = [];
  if (pattern !== undefined)
    conditions.push({ kind: 'output', run, pattern, ...(from === undefined ? {} : { from }) });
  if (port !== undefined) conditions.push({ kind: 'port', run, port });
  return conditions.length === 0 ? [{ kind: 'ended', run }] : conditions;
}

/** A job lasts until its leftover processes have exited. */
function asRunningWhileLive(run: StoredRun | null): StoredRun | null {
  return run !== null && hasLiveProcesses(run) ? { ...run, state: { kind: 'running' } } : run;
}

function runIdOf(condition: WaitCondition | undefined): string {
  return condition?.run ?? '';
}

function toWaitMet(hold: MetCondition): WaitMet {
  if (hold.kind === 'ended') return { kind: 'ended' };
  if (hold.kind === 'port') return { kind: 'port', port: hold.port };
  return { kind: 'output', line: hold.line, lineNumber: hold.lineNumber, next: hold.to };
}
