import type { Run } from '../../engine/hosts/host.ts';
import { startOnlyOne } from '../job/service/only-one.ts';
import { startedResult } from '../outcome/results.ts';
import type { Plan } from '../planning/plan.ts';
import type { CallResult } from '../result.ts';
import type { CallContext } from './context.ts';
import { recordEnd, recordStart } from './record.ts';
import { startRun } from './start-run.ts';

/** Starts a command that nobody waits for; for a service that can say so, until it is ready. */
export async function startJob(plan: Plan, context: CallContext): Promise<CallResult> {
  if (plan.request.array !== null) {
    const { startArray } = await import('./start-array.ts');
    return startArray(plan, plan.request.array, context);
  }
  const run = await context.room.fill(() => launch(plan, context));
  const more = recordStart({ plan, run }, context);
  context.runs.addJob(run);
  void run.ended.then((end) => recordEnd({ run, end, outputBytes: null }, context));
  if (plan.run.terminal !== null) {
    const { answerQuestions } = await import('../terminal/answerer.ts');
    answerQuestions(run, plan.run.terminal);
  }
  const { service, waitMs } = plan.request;
  if (service !== null && service.ready !== null && waitMs !== 0) {
    const { startService } = await import('./start-service.ts');
    return startService({ plan, run, more }, { name: service.name, ready: service.ready }, context);
  }
  context.teller.follow(run, context.call.onUpdate);
  return startedResult({ plan, run, shown: null, waiting: null, more }, context);
}

/** A service is the only one of its name, whoever else starts one at this moment. */
function launch({ request: { service }, run }: Plan, context: CallContext): Promise<Run> {
  const { room, session } = context;
  const start = (): Promise<Run> => startRun(run, context);
  if (service === null) return start();
  return startOnlyOne(service.name, { directory: session.directory, live: () => room.live() }, start);
}
