import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import { type Bash, type CallResult, ToolAbortError } from '../../../index.ts';
import type { StartedCall, ToolSession } from '../tool-session.ts';
import { goneSignal } from './gone-signal.ts';
import { Progress } from './progress.ts';
import { readAnswer, toInputRequired } from './question.ts';
import { toBashResult } from './to-tool-result.ts';

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
  const started = state === undefined ? session.start(request.bash, request) : session.find(state);
  if (started === undefined) return EXPIRED;
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

/** Nobody waits for a call that was cancelled, so what it gives back matters little. */
async function settle({ finished }: StartedCall): Promise<CallResult> {
  try {
    return await finished;
  } catch (error) {
    if (error instanceof ToolAbortError) return error.result;
    throw error;
  }
}

const EXPIRED_TEXT = 'The answer came too late, so the command was not run. Call the tool again.';
const EXPIRED: CallToolResult = {
  content: [{ type: 'text', text: EXPIRED_TEXT }],
  structuredContent: {
    ...{ runId: null, status: 'refused', exitCode: null, signal: null, timedOut: false, aborted: false },
    ...{ wallTimeMs: 0, cwd: '', artifact: null, notes: [] },
    output: { text: '', totalBytes: 0, totalLines: 0, shown: [], omitted: null },
    error: { id: 'blocked_by_policy', message: EXPIRED_TEXT },
  },
  isError: true,
};
