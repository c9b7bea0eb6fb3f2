import { serveStdio as serveProtocol } from '@modelcontextprotocol/server/stdio';
import { createToolServer } from '../tool-server.ts';
import { ToolSession, type ToolSessionOptions } from '../tool-session.ts';
import { LineTransport } from './line-transport.ts';

export interface StdioOptions extends ToolSessionOptions {
  readonly version: string;
  /** Told what went wrong and could be said to nobody else. */
  readonly complain: (problem: string) => void;
}

/** Serves one client on stdin and stdout until it is gone or we are asked to end. Jobs go on. */
export async function serveStdio({ version, complain, ...options }: StdioOptions): Promise<void> {
  const transport = new LineTransport(process);
  const session = new ToolSession({ ...options, ready: () => transport.ready() });
  const ended = untilTheEnd(transport);
  const handle = serveProtocol(
    ({ era }) => createToolServer({ session, version, isModern: era === 'modern', announces: true }),
    { transport, onerror: (error) => complain(error.message) },
  );
  await ended;
  await handle.close();
  await session.close();
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

function untilTheEnd(transport: LineTransport): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      for (const signal of SIGNALS) process.off(signal, end);
      resolve();
    };
    void transport.ended.then(end);
    for (const signal of SIGNALS) process.on(signal, end);
  });
}
