import { startedResult } from '../outcome/results.ts';
import type { Plan } from '../planning/plan.ts';
import type { CallResult } from '../result.ts';
import type { CallContext } from './context.ts';
import { recordEnd, recordStart } from './record.ts';

/** Starts a command that nobody waits for. */
export async function startJob(plan: Plan, context: CallContext): Promise<CallResult> {
  const run = await context.host.start(plan.run);
  const more = recordStart({ plan, run }, context);
  context.runs.addJob(run);
  context.room.add(run.id);
  context.teller.follow(run, context.call.onUpdate);
  void run.ended.then((end) => recordEnd({ run, end, outputBytes: null }, context));
  return startedResult({ plan, run, shown: null, waiting: null, more }, context);
}
