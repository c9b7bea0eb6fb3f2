import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import { type Bash, type CallResult, NacreError, ToolAbortError } from '../../../index.ts';
import type { StartedCall, ToolSession } from '../tool-session.ts';
import { goneSignal } from './gone-signal.ts';
import { Progress } from './progress.ts';
import { readAnswer, toInputRequired } from './question.ts';
import { toBashRefusal, toBashResult } from './to-tool-result.ts';
import { traceOf } from './trace-of.ts';

/** A request for the bash tool. */
export interface BashRequest {
  readonly input: unknown;
  readonly bash: Bash;
  /** Whether its client can put a question to a person. */
  readonly canAsk: boolean;
  /** Whether an answer to a question comes with a request of its own. */
  readonly asksByResult: boolean;
}

/** A call of the bash tool, or one more request of a call that asked something. */
export async function callBash(
  request: BashRequest,
  ctx: ServerContext,
  session: ToolSession,
): Promise<CallToolResult | InputRequiredResult> {
  const state = ctx.mcpReq.requestState<string>();
  const started = state === undefined ? startCall(request, ctx, session) : session.find(state);
  if (started === undefined) return toBashRefusal('blocked_by_policy', TOO_LATE);
  if (started instanceof NacreError) return toBashRefusal(started.code, started.message);
  const { call } = started;
  const progress = new Progress(ctx);
  const letGo = call.follow({ signal: goneSignal(ctx), onUpdate: (text) => progress.tell(text) });
  const within = session.answerWithinMs;
  const timer = within === null ? undefined : setTimeout(() => call.yield(), within);
  if (state !== undefined) call.answer(readAnswer(ctx.mcpReq.inputResponses));
  try {
    const next = await Promise.race([settle(started), call.question()]);
    if ('run' in next) {
      letGo();
      session.forget(call.id);
      if (next.run.job !== undefined) session.jobStarted();
      return toBashResult(next, session.takeNews());
    }
    // A request that is answered by a question is over, and what becomes of its connection says nothing any more.
    if (request.asksByResult) letGo();
    return toInputRequired(next, call.id);
  } finally {
    clearTimeout(timer);
    progress.end();
  }
}

/** A call, or why there is none: too many are under way. */
function startCall(
  { input, bash, canAsk }: BashRequest,
  ctx: ServerContext,
  session: ToolSession,
): StartedCall | NacreError {
  try {
    return session.start(bash, { input, canAsk, trace: traceOf(ctx) });
  } catch (error) {
    if (error instanceof NacreError) return error;
    throw error;
  }
}

/** Nobody waits for a call that was cancelled, so what it gives back matters little. */
async function settle({ finished }: StartedCall): Promise<CallResult> {
  try {
    return await finished;
  } catch (error) {
    if (error instanceof ToolAbortError) return error.result;
    throw error;
  }
}

const TOO_LATE = 'The answer came too late, so the command was not run. Call the tool again.';
