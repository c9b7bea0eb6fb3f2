import { type ServerContext, TRACEPARENT_META_KEY, TRACESTATE_META_KEY } from '@modelcontextprotocol/server';
import type { CallOptions } from '../../../index.ts';

export type Trace = Pick<CallOptions, 'traceparent' | 'tracestate'>;

/** The client's span that a request belongs to. */
export function traceOf({ mcpReq }: ServerContext): Trace {
  const { [TRACEPARENT_META_KEY]: traceparent, [TRACESTATE_META_KEY]: tracestate } = (mcpReq._meta ??
    {}) as Readonly<Record<string, unknown>>;
  if (typeof traceparent !== 'string') return {};
  return { traceparent, ...(typeof tracestate === 'string' ? { tracestate } : {}) };
}
