import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import type { Bash } from '../../../index.ts';
import type { ToolSession } from '../tool-session.ts';
import { goneSignal } from './gone-signal.ts';
import { toJobToolResult } from './to-tool-result.ts';

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
    return toJobToolResult(await bash.job(input, { signal }), session.takeNews());
  } finally {
    clearTimeout(timer);
  }
}
