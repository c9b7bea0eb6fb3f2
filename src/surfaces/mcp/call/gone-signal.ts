import type { ServerContext } from '@modelcontextprotocol/server';

/**
 * Aborted when nobody waits for this request any more: it was cancelled, or its connection is gone, over which alone the
 * answer could be given.
 */
export function goneSignal({ mcpReq, http }: ServerContext): AbortSignal {
  return http?.req === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, http.req.signal]);
}
