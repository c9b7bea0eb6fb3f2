/** Tools for the Claude Agent SDK: `query({ options: { mcpServers: { nacre: bashServer(bash) } } })`. */
import type { Bash } from '../../index.ts';
import { InProcessMcpServer } from './shared/in-process-mcp-server.ts';

/** The configuration of an in-process MCP server in the SDK. */
export interface ClaudeToolServer {
  readonly type: 'sdk';
  readonly name: string;
  /** Typed `never` because the class belongs to the SDK. */
  readonly instance: never;
}

/**
 * Creates a server with both tools, named `mcp__<name>__bash` and `mcp__<name>__job` for the model. Cancelling
 * a request stops the command; updates are sent as progress.
 */
export function bashServer(
  bash: Bash,
  { name = 'nacre' }: { readonly name?: string } = {},
): ClaudeToolServer {
  return { type: 'sdk', name, instance: new InProcessMcpServer(bash, name) as never };
}
