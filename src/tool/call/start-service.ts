import type { Run } from '../../engine/hosts/host.ts';
import { rawOutputFromFiles } from '../../engine/output/raw/raw-output.ts';
import type { SecretMask } from '../../engine/output/secret-mask.ts';
import type { RunStore } from '../../engine/run/run-store.ts';
import { type MetCondition, type WaitCondition, waitForRuns } from '../../engine/watch/wait-for-runs.ts';
import { NacreError } from '../../errors.ts';
import { type CallResult, toCallOutcome } from '../contract/result.ts';
import { onAbort } from '../jobs/instance-runs.ts';
import { renderElapsed } from '../jobs/job-status.ts';
import { parseOutputPattern } from '../jobs/services.ts';
import type { ReadyCondition, ShownOutput } from '../profiles/profile.ts';
import { buildFinishedResult, buildStartedResult } from './call-results.ts';
import type { CallContext } from './context.ts';
import type { CallPlan } from './plan-call.ts';

interface StartedServiceJob {
  readonly plan: CallPlan;
  readonly run: Run;
  readonly more: readonly string[];
}

/** A service with a readiness condition. */
interface ReadyService {
  readonly name: string;
  readonly ready: ReadyCondition;
}

/** Lines shown of the output of a service that became ready. */
const SERVICE_PREVIEW_LINES = 20;

/** Waits until a service is ready, ends, or the wait is over. */
export async function startService(
  job: StartedServiceJob,
  service: ReadyService,
  context: CallContext,
): Promise<CallResult> {
  const { plan, run, more } = job;
  const readiness = await waitForReadiness(job, service, context);
  if (readiness.kind === 'over') return toEndedEarlyResult(job, service, context);
  context.jobEndNotifier.watchRun(run, context.call.onUpdate);
  const shown = await showServiceOutput(job, SERVICE_PREVIEW_LINES, context);
  const note = renderReadiness(readiness, { name: service.name, ms: Date.now() - run.startedAt });
  return buildStartedResult({ plan, run, shown, waiting: null, more: [...more, note] }, context);
}

/** Only the caller's abort stops the service; other reasons just end the wait. */
async function waitForReadiness(
  { plan, run }: StartedServiceJob,
  { ready }: ReadyService,
  { call, store, pendingWaits }: CallContext,
): Promise<Readiness> {
  const waitEnd = new AbortController();
  const endWait = (): void => waitEnd.abort();
  const cleanups = [
    pendingWaits.add(endWait),
    onAbort(call.yieldSignal, endWait),
    onAbort(call.signal, () => void run.stop('abort')),
    onAbort(call.killSignal, () => void run.stop('abort', 0)),
  ];
  const { waitMs: timeoutMs } = plan.request;
  try {
    return await waitUntilReady(run.id, ready, { store, mask: plan.mask, timeoutMs, signal: waitEnd.signal });
  } finally {
    for (const cleanUp of cleanups) cleanUp();
  }
}

/** The result reports the end, so the notification about it is acknowledged. */
async function toEndedEarlyResult(
  job: StartedServiceJob,
  { name }: ReadyService,
  context: CallContext,
): Promise<CallResult> {
  const { plan, run } = job;
  const end = await run.ended;
  context.jobEndNotifier.acknowledge(run.id);
  const shown = await showServiceOutput(job, plan.request.tail, context);
  const outcome = toCallOutcome(end.ending);
  const more = [...job.more, `Service ${name} ended before it was ready.`];
  const result = buildFinishedResult(
    { plan, run, end, outcome, shown, artifact: serviceArtifactUrl(job), more },
    context,
  );
  return { ...result, isError: true };
}

function renderReadiness(readiness: Readiness, { name, ms }: { name: string; ms: number }): string {
  const after = renderElapsed(ms);
  if (readiness.kind === 'ready') return `Service ${name} is ready after ${after}: ${readiness.because}.`;
  if (readiness.kind === 'unclear')
    return `The readiness of service ${name} is unknown; it continues. ${readiness.because}`;
  const why = readiness.kind === 'aborted' ? 'the wait was ended, and it continues' : 'it continues';
  return `Service ${name} is not ready after ${after}; ${why}.`;
}

function showServiceOutput(
  job: StartedServiceJob,
  tailLines: number | null,
  { profile, options }: CallContext,
): Promise<ShownOutput> {
  const { directory } = job.run;
  return profile.show({
    out: rawOutputFromFiles({ directory, stream: 'out' }),
    err: rawOutputFromFiles({ directory, stream: 'err' }),
    artifact: serviceArtifactUrl(job),
    mask: job.plan.mask,
    headLines: null,
    tailLines,
    maxBytes: options.output.maxBytes,
    condenser: async () => null,
  });
}

function serviceArtifactUrl({ plan, run }: StartedServiceJob): string | null {
  return plan.run.keep.maxBytes === 0 ? null : `artifact://${run.id}`;
}

/** Outcome of the wait for a service; `over` means that it ended before it was ready. */
export type Readiness =
  | { readonly kind: 'ready'; readonly because: string }
  | { readonly kind: 'over' | 'time' | 'aborted' }
  /** The readiness cannot be determined. */
  | { readonly kind: 'unclear'; readonly because: string };

export interface ReadyOptions {
  readonly store: RunStore;
  readonly mask: SecretMask;
  /** `null` for no limit. */
  readonly timeoutMs: number | null;
  readonly signal: AbortSignal;
}

/** Waits until a service is ready: its log, its port, or both where both are given. */
export async function waitUntilReady(
  run: string,
  ready: ReadyCondition,
  options: ReadyOptions,
): Promise<Readiness> {
  try {
    return await waitForEachCondition(run, ready, options);
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    return { kind: 'unclear', because: error.message };
  }
}

async function waitForEachCondition(
  run: string,
  ready: ReadyCondition,
  options: ReadyOptions,
): Promise<Readiness> {
  const { store, mask, signal, timeoutMs } = options;
  const startedAt = performance.now();
  const reasons: string[] = [];
  for (const condition of toReadyConditions(run, ready)) {
    const left = timeoutMs === null ? null : Math.max(0, timeoutMs - (performance.now() - startedAt));
    const limit = left === null ? {} : { timeoutMs: left };
    const result = await waitForRuns([condition], { store, mask, signal, ...limit });
    if (result.kind === 'never') return { kind: 'over' };
    if (result.kind !== 'held') return { kind: result.kind };
    reasons.push(...result.held.map(renderReadyReason));
  }
  return { kind: 'ready', because: reasons.join(', ') };
}

function toReadyConditions(run: string, { log, port }: ReadyCondition): WaitCondition[] {
  const conditions: WaitCondition[] = [];
  if (log !== null)
    conditions.push({ kind: 'output', run, pattern: parseOutputPattern(log, 'service.ready.log') });
  if (port !== null) conditions.push({ kind: 'port', run, port });
  return conditions;
}

function renderReadyReason(hold: MetCondition): string {
  if (hold.kind === 'port') return `port ${hold.port} answers`;
  return hold.kind === 'output' ? `it printed ${JSON.stringify(hold.line)}` : 'it ended';
}
