import { startedResult } from '../outcome/results.ts';
import type { Plan } from '../planning/plan.ts';
import type { CallResult } from '../result.ts';
import type { CallContext } from './context.ts';
import { recordEnd, recordStart } from './record.ts';

/** Starts a command that nobody waits for; for a service that can say so, until it is ready. */
export async function startJob(plan: Plan, context: CallContext): Promise<CallResult> {
  const run = await context.host.start(plan.run);
  const more = recordStart({ plan, run }, context);
  context.runs.addJob(run);
  context.room.add(run.id);
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
