/** The tools as the Claude Agent SDK takes them: `query({ options: { mcpServers: { nacre: bashServer(bash) } } })`. */
import type { Bash } from '../../index.ts';
import { InProcessMcpServer } from './shared/in-process-mcp-server.ts';

/** What the SDK wants of a server that runs in its own process. */
export interface ClaudeToolServer {
  readonly type: 'sdk';
  readonly name: string;
  /** Of the type that the SDK has for it. */
  readonly instance: never;
}

/**
 * A server with both tools; the model knows them as `mcp__<name>__bash` and `mcp__<name>__job`. Cancelling reaches the command, and
 * updates go out as progress.
 */
export function bashServer(
  bash: Bash,
  { name = 'nacre' }: { readonly name?: string } = {},
): ClaudeToolServer {
  return { type: 'sdk', name, instance: new InProcessMcpServer(bash, name) as never };
}
