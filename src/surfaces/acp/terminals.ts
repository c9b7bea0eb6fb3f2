/** For agents that speak the Agent Client Protocol (v1) and embed nacre: `createBash({ clientTerminals: clientTerminals(client, sessionId) })`. */
import type { ClientTerminal, ClientTerminals } from '../../index.ts';

/** The client's side of a connection, as the ACP SDK has it: `ctx.client`, or a connection of an older SDK. */
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

/** A terminal, as the ACP SDK has it. */
export interface AcpTerminal {
  readonly id: string;
  currentOutput(): ReturnType<ClientTerminal['output']>;
  waitForExit(): ReturnType<ClientTerminal['waitForExit']>;
  kill(): Promise<unknown>;
  release(): Promise<unknown>;
}

/** The client's terminals, for one session. Look at `clientCapabilities.terminal` first: not every client has them. */
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
