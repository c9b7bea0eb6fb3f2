/**
 * For agents that implement the Agent Client Protocol (v1) and embed nacre: `createBash({ clientTerminals:
 * clientTerminals(client, sessionId) })`.
 */
import type { ClientTerminal, ClientTerminals } from '../../index.ts';

/** The client side of an ACP SDK connection: `ctx.client`, or the connection object of an older SDK. */
export interface AcpClient {
  createTerminal(params: {
    sessionId: string;
    command: string;
    args: string[];
    env: { name: string; value: string }[];
    cwd: string;
    outputByteLimit: number;
  }): Promise<AcpTerminal>;
}

/** A terminal of the ACP SDK. */
export interface AcpTerminal {
  readonly id: string;
  currentOutput(): ReturnType<ClientTerminal['output']>;
  waitForExit(): ReturnType<ClientTerminal['waitForExit']>;
  kill(): Promise<unknown>;
  release(): Promise<unknown>;
}

/**
 * Runs commands in the terminals of an ACP client. Check `clientCapabilities.terminal` first: the capability is
 * optional.
 */
export function clientTerminals(client: AcpClient, sessionId: string): ClientTerminals {
  return {
    create: async ({ args, env, ...request }) => {
      const pairs = Object.entries(env).map(([name, value]) => ({ name, value }));
      const terminal = await client.createTerminal({ sessionId, ...request, args: [...args], env: pairs });
      return {
        id: terminal.id,
        output: () => terminal.currentOutput(),
        waitForExit: () => terminal.waitForExit(),
        kill: () => terminal.kill(),
        release: () => terminal.release(),
      };
    },
  };
}
