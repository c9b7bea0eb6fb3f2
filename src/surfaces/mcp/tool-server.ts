import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Bash } from '../../index.ts';
import { callBashTool, callJobTool } from './call-tools.ts';
import { type McpClient, toClientResult, toClientTools } from './clients.ts';
import { listResources, RESOURCE_TEMPLATES, readResource } from './resources.ts';
import { toMcpTools } from './tool-definitions.ts';
import type { ClientNotifier, ToolSession } from './tool-session.ts';

export interface McpToolServerOptions {
  readonly session: ToolSession;
  readonly version: string;
  /** The protocol revision without a handshake, in which every request carries the client's information. */
  readonly isModern: boolean;
  /** Whether the server lives as long as its client and can send notifications. */
  readonly sendsNotifications: boolean;
}

/** Creates the MCP server of a session. */
export function createMcpToolServer(options: McpToolServerOptions): Server {
  const { session, version, isModern, sendsNotifications } = options;
  const server = new Server(
    { name: 'nacre', title: 'nacre', version },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: true, listChanged: true },
        // The newer revision has no logging capability.
        ...(isModern ? {} : { logging: {} }),
      },
      instructions: INSTRUCTIONS,
      // Longer than any question may wait, because the policy decides when a question expires.
      inputRequired: { roundTimeoutMs: 86_400_000 },
    },
  );
  const client = (ctx: ServerContext): ClientInfo => readClientInfo(ctx, server);
  const shape = (ctx: ServerContext): McpClient => session.findClient(client(ctx).name);
  const open = (ctx: ServerContext): Bash => session.openBash(shape(ctx));

  server.setRequestHandler('tools/list', (_, ctx) => ({
    tools: toClientTools(toMcpTools(open(ctx)), shape(ctx)),
  }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: input = {} } }, ctx) => {
    const bash = open(ctx);
    if (name === 'bash') {
      const request = { input, bash, canAsk: client(ctx).canAsk, asksWithResult: isModern };
      return toClientResult(await callBashTool(request, ctx, session), shape(ctx));
    }
    if (name === 'job' && bash.jobTool !== null)
      return toClientResult(await callJobTool({ input, bash }, ctx, session), shape(ctx));
    const known = toMcpTools(bash).map((tool) => tool.name);
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool ${JSON.stringify(name)}. Available: ${known.join(', ')}.`,
    );
  });
  server.setRequestHandler('resources/list', ({ params }, ctx) => listResources(open(ctx), params?.cursor));
  server.setRequestHandler('resources/templates/list', () => RESOURCE_TEMPLATES);
  server.setRequestHandler('resources/read', ({ params: { uri } }, ctx) =>
    session.resourceReads.run(() => readResource(uri, open(ctx))),
  );
  if (sendsNotifications) attachClientNotifier(server, { session, isModern });
  return server;
}

interface ClientInfo {
  readonly name: string;
  readonly canAsk: boolean;
}

/** The client information in a request of the newer revision. */
interface RequestEnvelope {
  readonly [CLIENT_INFO_META_KEY]?: { readonly name?: string };
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
}

function readClientInfo({ mcpReq }: ServerContext, server: Server): ClientInfo {
  const sender = (mcpReq.envelope ?? {}) as RequestEnvelope;
  const info = sender[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  const capabilities = sender[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  return { name: info?.name ?? '', canAsk: canAsk(capabilities) };
}

/** Clients of older protocol versions declare `elicitation` without its kinds and support forms. */
function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

const INSTRUCTIONS =
  'bash runs commands; its description says where. A command that takes long continues as a job: its result carries an id, which the job tool takes to read, wait for, answer and end it. Full outputs are resources (artifact://<id>).';

/**
 * Notifies a connected client of events in its session. In the older revision the client subscribes to single
 * resources; in the newer one the connection filters the notifications.
 */
export function attachClientNotifier(
  server: Server,
  { session, isModern }: { readonly session: ToolSession; readonly isModern: boolean },
): void {
  const subscribed = new Set<string>();
  const announcer: ClientNotifier = {
    subscribed,
    resourceUpdated: (uri) => {
      if (isModern || subscribed.has(uri)) ignoreSendFailure(server.sendResourceUpdated({ uri }));
    },
    resourcesChanged: () => ignoreSendFailure(server.sendResourceListChanged()),
    jobEnded: (data, failed) => {
      if (!isModern)
        ignoreSendFailure(
          server.sendLoggingMessage({ level: failed ? 'warning' : 'info', logger: 'jobs', data }),
        );
    },
  };
  session.notifiers.add(announcer);
  server.onclose = () => void session.notifiers.delete(announcer);
  if (isModern) return;
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    subscribed.add(uri);
    session.watchResources();
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });
}

/** A lost connection is noticed by the next request or by its close event. */
function ignoreSendFailure(sent: Promise<void>): void {
  sent.catch(() => undefined);
}
