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
import { callBash } from './call/call-bash.ts';
import { callJob } from './call/call-job.ts';
import { announceTo } from './resources/announce.ts';
import { listResources, RESOURCE_TEMPLATES } from './resources/list-resources.ts';
import { readResource } from './resources/read-resource.ts';
import type { ToolSession } from './tool-session.ts';
import { listTools } from './tools.ts';

export interface ToolServerOptions {
  readonly session: ToolSession;
  readonly version: string;
  /** The revision without a handshake, in which every request says who sends it. */
  readonly isModern: boolean;
  /** Whether it lives as long as its client, and so can tell it of what happens. */
  readonly announces: boolean;
}

/** The protocol's side of a session: what is asked becomes a call, what comes of it a result. */
export function createToolServer(options: ToolServerOptions): Server {
  const { session, version, isModern, announces } = options;
  const server = new Server(
    { name: 'nacre', title: 'nacre', version },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: true, listChanged: true },
        // The newer revision has no place for it.
        ...(isModern ? {} : { logging: {} }),
      },
      instructions: INSTRUCTIONS,
      // As long as a question may wait, and some more: the answer is given by the policy.
      inputRequired: { roundTimeoutMs: 86_400_000 },
    },
  );
  const client = (ctx: ServerContext): Client => clientOf(ctx, server);
  const open = (ctx: ServerContext): Bash => session.open(client(ctx).name);

  server.setRequestHandler('tools/list', (_, ctx) => ({ tools: listTools(open(ctx)) }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: input = {} } }, ctx) => {
    const bash = open(ctx);
    if (name === 'bash')
      return callBash({ input, bash, canAsk: client(ctx).canAsk, asksByResult: isModern }, ctx, session);
    if (name === 'job' && bash.jobTool !== null) return callJob({ input, bash }, ctx, session);
    const known = listTools(bash).map((tool) => tool.name);
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no tool ${JSON.stringify(name)}; there is ${known.join(' and ')}.`,
    );
  });
  server.setRequestHandler('resources/list', ({ params }, ctx) => listResources(open(ctx), params?.cursor));
  server.setRequestHandler('resources/templates/list', () => RESOURCE_TEMPLATES);
  server.setRequestHandler('resources/read', ({ params: { uri } }, ctx) =>
    session.reads.run(() => readResource(uri, open(ctx))),
  );
  if (announces) announceTo(server, { session, isModern });
  return server;
}

interface Client {
  readonly name: string;
  readonly canAsk: boolean;
}

/** What a request of the newer revision says of its sender. */
interface Sender {
  readonly [CLIENT_INFO_META_KEY]?: { readonly name?: string };
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
}

function clientOf({ mcpReq }: ServerContext, server: Server): Client {
  const sender = (mcpReq.envelope ?? {}) as Sender;
  const info = sender[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  const capabilities = sender[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  return { name: info?.name ?? '', canAsk: canAsk(capabilities) };
}

/** Clients from before there were several kinds of questions declare none of them. */
function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

const INSTRUCTIONS =
  'bash runs commands; its description says where. A command that takes long goes on as a job: its result carries an id, which the job tool takes to read, wait for, answer and end it. Full outputs are resources (artifact://<id>).';
