import { NacreError } from '../../../errors.ts';
import type { Waits } from '../../running/waits.ts';
import type { Jobs } from '../../runs/jobs.ts';
import type { Teller } from '../telling/teller.ts';
import { ACTIONS } from './actions.ts';
import { type JobCall, readJobInput } from './job-input.ts';
import { type Answer, type JobResult, toJobError } from './job-result.ts';

export interface JobPlace {
  readonly jobs: Jobs;
  readonly teller: Teller;
  readonly waits: Waits;
  /** The caller's own: it ends a wait, never a job. */
  readonly signal: AbortSignal | undefined;
}

/** One call of the job tool. Resolves for everything a call can meet. */
export async function performJob(input: unknown, place: JobPlace): Promise<JobResult> {
  let call: JobCall | undefined;
  try {
    call = readJobInput(input);
    const { text, jobs, why } = await act(call, place);
    const details = { action: call.action, jobs, ...(why === undefined ? {} : { why }) };
    return { content: [{ type: 'text', text }], isError: false, details };
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    return toJobError(error, call?.action ?? null);
  }
}

/** Whoever is told of an end by the answer is not told of it once more. */
async function act(call: JobCall, { jobs, teller, waits, signal }: JobPlace): Promise<Answer> {
  const ids = call.ids.map((id) => jobs.find(id).id);
  const ended = new AbortController();
  const forget = waits.add(() => ended.abort());
  teller.hold(ids);
  let seen: Answer['jobs'] = [];
  try {
    const signals = signal === undefined ? [ended.signal] : [ended.signal, signal];
    const answer = await ACTIONS[call.action]({ ...call, ids }, { jobs, signal: AbortSignal.any(signals) });
    seen = answer.jobs;
    return answer;
  } finally {
    forget();
    teller.letGo(ids, seen);
  }
}
