import type { Run } from '../../engine/hosts/host.ts';
import { sourceOfKept } from '../../engine/output/kept/source.ts';
import { type Readiness, waitUntilReady } from '../job/service/ready.ts';
import type { ReadyCondition } from '../job/service/service.ts';
import { renderElapsed } from '../job/status-line.ts';
import { toOutcome } from '../outcome/outcome.ts';
import { finishedResult, startedResult } from '../outcome/results.ts';
import type { Shown } from '../outcome/shown.ts';
import type { Plan } from '../planning/plan.ts';
import type { CallResult } from '../result.ts';
import { ToolAbortError } from '../tool-abort-error.ts';
import { whenAborted } from '../when-aborted.ts';
import type { CallContext } from './context.ts';

/** A job that is on its way. */
interface StartedJob {
  readonly plan: Plan;
  readonly run: Run;
  readonly more: readonly string[];
}

/** A service that can say when it is ready. */
interface Service {
  readonly name: string;
  readonly ready: ReadyCondition;
}

/** Lines shown of what a service printed until it was ready. */
const PREVIEW_LINES = 20;

/** Waits until a service that was started is ready, has ended, or the wait is over. */
export async function startService(
  job: StartedJob,
  service: Service,
  context: CallContext,
): Promise<CallResult> {
  const { plan, run, more } = job;
  const readiness = await untilReady(job, service, context);
  if (readiness.kind === 'over') return endedEarly(job, service, context);
  context.teller.follow(run, context.call.onUpdate);
  const shown = await show(job, PREVIEW_LINES, context);
  const note = renderReadiness(readiness, { name: service.name, ms: Date.now() - run.startedAt });
  return startedResult({ plan, run, shown, waiting: null, more: [...more, note] }, context);
}

/** The caller's abort ends the service; whatever else ends the wait does not. */
async function untilReady(
  { plan, run }: StartedJob,
  { ready }: Service,
  { call, store, waits }: CallContext,
): Promise<Readiness> {
  const left = new AbortController();
  const leave = (): void => left.abort();
  const forget = [
    waits.add(leave),
    whenAborted(call.yieldSignal, leave),
    whenAborted(call.signal, () => void run.stop('abort')),
    whenAborted(call.killSignal, () => void run.stop('abort', 0)),
  ];
  const { waitMs: timeoutMs } = plan.request;
  try {
    return await waitUntilReady(run.id, ready, { store, mask: plan.mask, timeoutMs, signal: left.signal });
  } finally {
    for (const each of forget) each();
  }
}

/** Told by the result, so nobody is told of it once more. */
async function endedEarly(job: StartedJob, { name }: Service, context: CallContext): Promise<CallResult> {
  const { plan, run } = job;
  const end = await run.ended;
  context.teller.acknowledge(run.id);
  const shown = await show(job, plan.request.tail, context);
  const outcome = toOutcome(end.ending);
  const more = [...job.more, `Service ${name} ended before it was ready.`];
  const result = finishedResult({ plan, run, end, outcome, shown, artifact: artifactOf(job), more }, context);
  if (outcome.status === 'aborted') throw new ToolAbortError(result);
  return { ...result, isError: true };
}

function renderReadiness(readiness: Readiness, { name, ms }: { name: string; ms: number }): string {
  const after = renderElapsed(ms);
  if (readiness.kind === 'ready') return `Service ${name} is ready after ${after}: ${readiness.because}.`;
  if (readiness.kind === 'unclear')
    return `Whether service ${name} is ready is not known, and it goes on. ${readiness.because}`;
  const why = readiness.kind === 'aborted' ? 'the wait was ended, and it goes on' : 'it goes on';
  return `Service ${name} is not ready after ${after}; ${why}.`;
}

function show(job: StartedJob, tailLines: number | null, { profile }: CallContext): Promise<Shown> {
  const { directory } = job.run;
  return profile.show({
    out: sourceOfKept({ directory, stream: 'out' }),
    err: sourceOfKept({ directory, stream: 'err' }),
    ...{ artifact: artifactOf(job), mask: job.plan.mask, headLines: null, tailLines },
    condenser: async () => null,
  });
}

function artifactOf({ plan, run }: StartedJob): string | null {
  return plan.run.keep.maxBytes === 0 ? null : `artifact://${run.id}`;
}
