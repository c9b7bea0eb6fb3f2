import type { Readable, Writable } from 'node:stream';
import { Readable as NodeReadable, Writable as NodeWritable } from 'node:stream';
import { agent, ndJsonStream, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk';
import type { BashOptions } from '../../index.ts';
import type { StopSignals } from '../serving/stop-signals.ts';
import { waitForAbort } from '../serving/when-aborted.ts';
import { ACP_SLASH_COMMANDS, AgentSession } from './agent-session.ts';

export interface AcpServerOptions {
  /** Options of each session; the client chooses the working directory. */
  readonly bash: (cwd: string) => BashOptions;
  readonly version: string;
  readonly input: Readable;
  readonly output: Writable;
  readonly stop: StopSignals;
}

const MAX_SESSIONS = 64;
const TOO_MANY_SESSIONS = `${MAX_SESSIONS} sessions are open, which is the limit. Close one first.`;

/**
 * Serves an ACP agent without a model: prompt lines run in bash. Returns when the client disconnects or a stop
 * signal arrives.
 */
export async function serveAcp({ bash, version, input, output, stop }: AcpServerOptions): Promise<void> {
  const sessions = new Map<string, AgentSession>();
  let hasTerminals = false;
  const find = (id: string): AgentSession => {
    const session = sessions.get(id);
    if (session === undefined) throw RequestError.invalidParams({ details: `Unknown session '${id}'.` });
    return session;
  };
  const app = agent({ name: 'nacre' })
    .onRequest('initialize', ({ params }) => {
      hasTerminals = params.clientCapabilities?.terminal === true;
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentCapabilities: {
          loadSession: false,
          promptCapabilities: { embeddedContext: true },
          sessionCapabilities: { close: {} },
        },
        agentInfo: { name: 'nacre', title: 'nacre', version },
        authMethods: [],
      };
    })
    .onRequest('session/new', ({ params, client }) => {
      if (sessions.size >= MAX_SESSIONS) throw RequestError.invalidParams({ details: TOO_MANY_SESSIONS });
      const id = `acp-${crypto.randomUUID()}`;
      sessions.set(
        id,
        new AgentSession({ id, client: connection.client, bash: bash(params.cwd), hasTerminals }),
      );
      // Sent after the response, because the client does not know the session id before.
      setImmediate(() => {
        const update = {
          sessionUpdate: 'available_commands_update' as const,
          availableCommands: ACP_SLASH_COMMANDS,
        };
        client.notify('session/update', { sessionId: id, update }).catch(() => undefined);
      });
      return { sessionId: id };
    })
    .onRequest('session/prompt', ({ params }) => find(params.sessionId).prompt(params))
    .onNotification('session/cancel', ({ params }) => sessions.get(params.sessionId)?.cancel())
    .onRequest('session/close', async ({ params }) => {
      await find(params.sessionId).close();
      sessions.delete(params.sessionId);
      return {};
    });
  const stream = ndJsonStream(
    NodeWritable.toWeb(output) as WritableStream<Uint8Array>,
    NodeReadable.toWeb(input) as ReadableStream<Uint8Array>,
  );
  const connection = app.connect(stream);
  void connection.closed.then(() => stop.disconnected());
  await waitForAbort(stop.signal);
  await Promise.all([...sessions.values()].map((session) => session.close(stop.killSignal)));
}
