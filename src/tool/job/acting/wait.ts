import type { Mask } from '../../../engine/output/mask.ts';
import type { RunStore, StoredRun } from '../../../engine/run/record/store.ts';
import type { WaitCondition, WaitHold } from '../../../engine/watch/runs/wait-condition.ts';
import { waitForRuns } from '../../../engine/watch/runs/wait-for-runs.ts';
import { isLive, type JobInfo, toJobInfo } from '../../runs/job-info.ts';
import { InputStop } from './input-stop.ts';

/** What is waited for. With neither a pattern nor a port: the end. */
export interface JobWaitOptions {
  /** In a line of the output: a text as it stands, or a pattern. What was printed before counts, too. */
  readonly pattern?: string | RegExp;
  /** The byte of the output from which on the pattern is looked for. */
  readonly from?: number;
  /** Takes connections on this machine. */
  readonly port?: number;
  /** One of the jobs is enough, or each of them. @default 'any' */
  readonly mode?: 'any' | 'all';
  /** Left out: as long as it takes. */
  readonly timeoutMs?: number;
  /** Ends the wait, never a job. */
  readonly signal?: AbortSignal;
}

/** What came of a wait for one job. */
export interface WaitedJob {
  readonly job: JobInfo;
  /** What was waited for; `null` when it did not come. */
  readonly met: WaitMet | null;
}

export type WaitMet =
  | { readonly kind: 'ended' }
  | {
      readonly kind: 'output';
      readonly line: string;
      readonly lineNumber: number | null;
      /** Where to go on looking. */
      readonly next: number;
    }
  | { readonly kind: 'port'; readonly port: number };

/** Why the wait is over. `never`: what was waited for cannot come any more. `input`: a job waits for somebody itself. */
export interface JobWait {
  readonly why: 'met' | 'never' | 'time' | 'input' | 'aborted';
  readonly jobs: readonly WaitedJob[];
}

export interface WaitPlace {
  readonly store: RunStore;
  readonly mask: Mask;
}

export async function waitForJobs(
  ids: readonly string[],
  options: JobWaitOptions,
  place: WaitPlace,
): Promise<JobWait> {
  const met = new Map<string, WaitMet>();
  const input = new InputStop(ids, { store: place.store, outer: options.signal });
  const limited = { ...options, signal: input.signal };
  try {
    const why = await waitOn(ids, { met, options: limited, place });
    const jobs = ids.flatMap((id) => place.store.find(id) ?? []);
    return {
      why: why === 'aborted' && input.found ? 'input' : why,
      jobs: jobs.map((run) => ({ job: toJobInfo(run), met: met.get(run.id) ?? null })),
    };
  } finally {
    input.release();
  }
}

interface Waiting {
  /** What has come so far. */
  readonly met: Map<string, WaitMet>;
  readonly options: JobWaitOptions & { readonly signal: AbortSignal };
  readonly place: WaitPlace;
}

async function waitOn(ids: readonly string[], { met, options, place }: Waiting): Promise<JobWait['why']> {
  const { timeoutMs, signal, mode } = options;
  const startedAt = performance.now();
  for (;;) {
    const conditions = ids.filter((id) => !met.has(id)).flatMap((id) => toConditions(id, options));
    const elapsed = performance.now() - startedAt;
    const result = await waitForRuns(conditions, {
      store: { find: (id) => untilNobodyIsLeft(place.store.find(id)) },
      mask: place.mask,
      signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs: Math.max(0, timeoutMs - elapsed) }),
    });
    if (result.kind !== 'held') return result.kind;
    for (const hold of result.held) met.set(runOf(conditions[hold.condition]), toMet(hold));
    if (mode !== 'all' || met.size === ids.length) return 'met';
  }
}

function toConditions(run: string, { pattern, from, port }: JobWaitOptions): WaitCondition[] {
  const conditions: WaitCondition[] = [];
  if (pattern !== undefined)
    conditions.push({ kind: 'output', run, pattern, ...(from === undefined ? {} : { from }) });
  if (port !== undefined) conditions.push({ kind: 'port', run, port });
  return conditions.length === 0 ? [{ kind: 'ended', run }] : conditions;
}

/** What a command left behind is the same job, which is over when they are. */
function untilNobodyIsLeft(run: StoredRun | null): StoredRun | null {
  return run !== null && isLive(run) ? { ...run, state: { kind: 'running' } } : run;
}

function runOf(condition: WaitCondition | undefined): string {
  return condition?.run ?? '';
}

function toMet(hold: WaitHold): WaitMet {
  if (hold.kind === 'ended') return { kind: 'ended' };
  if (hold.kind === 'port') return { kind: 'port', port: hold.port };
  return { kind: 'output', line: hold.line, lineNumber: hold.lineNumber, next: hold.to };
}
