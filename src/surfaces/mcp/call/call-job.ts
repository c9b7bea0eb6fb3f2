import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { type Bash, NacreError } from '../../../index.ts';
import type { ToolSession } from '../tool-session.ts';
import { goneSignal } from './gone-signal.ts';
import { toJobRefusal, toJobToolResult } from './to-tool-result.ts';
import { traceOf } from './trace-of.ts';

/** A call of the job tool. A wait ends before the client gives up; the job goes on either way. */
export async function callJob(
  { input, bash }: { readonly input: unknown; readonly bash: Bash },
  ctx: ServerContext,
  session: ToolSession,
): Promise<CallToolResult> {
  const within = session.answerWithinMs;
  const ended = new AbortController();
  const timer = within === null ? undefined : setTimeout(() => ended.abort(), within);
  try {
    const signal = AbortSignal.any([goneSignal(ctx), ended.signal]);
    const result = await session.jobCalls.run(() => bash.job(input, { signal, ...traceOf(ctx) }));
    return toJobToolResult(result, session.takeNews());
  } catch (error) {
    if (error instanceof NacreError && error.code === 'too_many') return toJobRefusal(error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
