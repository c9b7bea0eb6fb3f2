import { serveStdio as serveProtocol } from '@modelcontextprotocol/server/stdio';
import type { StopSignals } from '../../serving/stop-signals.ts';
import { whenAborted } from '../../serving/when-aborted.ts';
import { createToolServer } from '../tool-server.ts';
import { ToolSession, type ToolSessionOptions } from '../tool-session.ts';
import { LineTransport } from './line-transport.ts';

export interface StdioOptions extends ToolSessionOptions {
  readonly version: string;
  /** Told what went wrong and could be said to nobody else. */
  readonly complain: (problem: string) => void;
  readonly stop: StopSignals;
}

/** Serves one client on stdin and stdout until it is gone or we are asked to end. Jobs go on. */
export async function serveStdio({ version, complain, stop, ...options }: StdioOptions): Promise<void> {
  const transport = new LineTransport(process);
  const session = new ToolSession({ ...options, ready: () => transport.ready() });
  void transport.ended.then(() => stop.request());
  const handle = serveProtocol(
    ({ era }) => createToolServer({ session, version, isModern: era === 'modern', announces: true }),
    { transport, onerror: (error) => complain(error.message) },
  );
  await new Promise<void>((resolve) => whenAborted(stop.signal, resolve));
  await Promise.all([handle.close(), session.close(stop.killSignal)]);
}
