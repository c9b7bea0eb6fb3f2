import type { Run } from '../../engine/hosts/host.ts';
import type { CallResult } from '../contract/result.ts';
import { startExclusiveService } from '../jobs/services.ts';
import { buildStartedResult } from './call-results.ts';
import type { CallContext } from './context.ts';
import type { CallPlan } from './plan-call.ts';
import { journalEnd, journalStart, startRun } from './start-run.ts';

/** Starts a background command; for a service with a readiness condition, waits until it is ready. */
export async function startJob(plan: CallPlan, context: CallContext): Promise<CallResult> {
  if (plan.request.array !== null) {
    const { startArray } = await import('./start-array.ts');
    return startArray(plan, plan.request.array, context);
  }
  const run = await context.jobLimiter.start(() => launchJob(plan, context));
  const more = journalStart({ plan, run }, context);
  context.instanceRuns.addJob(run);
  void run.ended.then((end) => journalEnd({ run, end, outputBytes: null }, context));
  if (plan.run.terminal !== null) {
    const { answerTerminalQueries } = await import('../jobs/terminal-screen.ts');
    answerTerminalQueries(run, plan.run.terminal);
  }
  const { service, waitMs } = plan.request;
  if (service !== null && service.ready !== null && waitMs !== 0) {
    const { startService } = await import('./start-service.ts');
    return startService({ plan, run, more }, { name: service.name, ready: service.ready }, context);
  }
  context.jobEndNotifier.watchRun(run, context.call.onUpdate);
  return buildStartedResult({ plan, run, shown: null, waiting: null, more }, context);
}

/** Holds a lock while a service starts, so that two services never have the same name. */
function launchJob({ request: { service }, run }: CallPlan, context: CallContext): Promise<Run> {
  const { jobLimiter, session } = context;
  const start = (): Promise<Run> => startRun(run, context);
  if (service === null) return start();
  return startExclusiveService(
    service.name,
    { directory: session.directory, listLiveJobs: () => jobLimiter.listLiveJobs() },
    start,
  );
}
