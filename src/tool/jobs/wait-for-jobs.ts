import type { SecretMask } from '../../engine/output/secret-mask.ts';
import type { RunStore, StoredRun } from '../../engine/run/run-store.ts';
import { type InputWait, isSameInputWait } from '../../engine/watch/input-wait.ts';
import { type MetCondition, type WaitCondition, waitForRuns } from '../../engine/watch/wait-for-runs.ts';
import type { JobInfo } from '../contract/job.ts';
import { findRunInputWait } from './input-wait.ts';
import { hasLiveProcesses, toJobInfo } from './job-info.ts';

/** Options of `wait`. Without a pattern or port the wait is for the end of the job. */
export interface JobWaitOptions {
  /**
   * Literal text or regular expression to find in a line of the output, including output printed before the
   * wait.
   */
  readonly pattern?: string | RegExp;
  /** Byte offset from which the pattern is searched. */
  readonly from?: number;
  /** Port on this machine that must accept connections. */
  readonly port?: number;
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

export interface WaitContext {
  readonly store: RunStore;
  readonly mask: SecretMask;
}

export async function waitForJobs(
  ids: readonly string[],
  options: JobWaitOptions,
  place: WaitContext,
): Promise<JobWait> {
  const met = new Map<string, WaitMet>();
  const input = new InputWaitDetector(ids, { store: place.store, outer: options.signal });
  const limited = { ...options, signal: input.signal };
  try {
    const why = await waitForConditions(ids, { met, options: limited, place });
    const jobs = ids.flatMap((id) => place.store.find(id) ?? []);
    return {
      why: why === 'aborted' && input.isWaitingForInput ? 'input' : why,
      jobs: jobs.map((run) => ({ job: toJobInfo(run), met: met.get(run.id) ?? null })),
    };
  } finally {
    input.release();
  }
}

interface WaitState {
  readonly met: Map<string, WaitMet>;
  readonly options: JobWaitOptions & { readonly signal: AbortSignal };
  readonly place: WaitContext;
}

async function waitForConditions(
  ids: readonly string[],
  { met, options, place }: WaitState,
): Promise<JobWait['why']> {
  const { timeoutMs, signal, mode } = options;
  const startedAt = performance.now();
  for (;;) {
    const conditions = ids.filter((id) => !met.has(id)).flatMap((id) => toWaitConditions(id, options));
    const elapsed = performance.now() - startedAt;
    const result = await waitForRuns(conditions, {
      store: { find: (id) => asRunningWhileLive(place.store.find(id)) },
      mask: place.mask,
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

const INPUT_POLL_MS = 250;

/** Ends a wait when a job with open input is blocked on reading it. */
export class InputWaitDetector {
  isWaitingForInput = false;
  readonly #store: RunStore;
  readonly #ids: readonly string[];
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #earlier = new Map<string, InputWait>();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #abort = (): void => this.#controller.abort();

  constructor(ids: readonly string[], { store, outer }: { store: RunStore; outer: AbortSignal | undefined }) {
    this.#store = store;
    this.#outer = outer;
    this.#ids = ids.filter((id) => store.find(id)?.asked.input === 'open');
    outer?.addEventListener('abort', this.#abort, { once: true });
    if (outer?.aborted) this.#abort();
    if (this.#ids.length > 0) this.#timer = setInterval(() => this.#poll(), INPUT_POLL_MS);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  release(): void {
    clearInterval(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
  }

  #poll(): void {
    for (const id of this.#ids) {
      const run = this.#store.find(id);
      const wait = run === null || !hasLiveProcesses(run) ? null : findRunInputWait(run);
      const earlier = this.#earlier.get(id);
      if (wait === null) this.#earlier.delete(id);
      else this.#earlier.set(id, wait);
      if (wait === null || earlier === undefined || !isSameInputWait(earlier, wait)) continue;
      this.isWaitingForInput = true;
      this.#abort();
    }
  }
}
