import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import { NacreError } from '../../../index.ts';
import type { StopSignals } from '../../serving/stop-signals.ts';
import { waitForAbort, whenAborted } from '../../serving/when-aborted.ts';
import { createMcpToolServer } from '../tool-server.ts';
import { checkRequest, type HttpRejection, MCP_ENDPOINT, readOrCreateToken } from './access-guard.ts';
import { readBody, sendRejection, sendWebResponse, toWebRequest } from './http-exchange.ts';
import { HttpSessions, type HttpSessionsOptions } from './http-sessions.ts';

export interface HttpServerOptions extends HttpSessionsOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly tokenFile: string;
  /** Accepted host names besides the loopback names. */
  readonly otherHosts: readonly string[];
  readonly complain: (problem: string) => void;
  readonly stop: StopSignals;
}

/** Further connections are refused. */
const MAX_CONNECTIONS = 128;
/** Limits for a whole request and for its headers. */
const REQUEST_MS = 15_000;
const HEAD_MS = 5_000;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Serves MCP over HTTP until a stop signal arrives. Jobs keep running. */
export async function serveHttp(options: HttpServerOptions): Promise<void> {
  const { host, port, tokenFile, otherHosts, complain, stop, version } = options;
  const token = readOrCreateToken(tokenFile);
  const sessions = new HttpSessions(options);
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const session = sessions.findOrCreate(requestInfo?.headers.get(SESSION_HEADER) ?? null);
      if ('status' in session) throw new Error(session.message);
      return createMcpToolServer({ session, version, isModern: true, sendsNotifications: false });
    },
    { legacy: 'reject', onerror: () => undefined },
  );
  const { resourceUpdated, resourcesChanged } = modern.notify;
  sessions.notifier = {
    subscribed: new Set(),
    resourceUpdated,
    resourcesChanged,
    jobEnded: () => undefined,
  };
  const guard = { token, hosts: [...LOOPBACK, isIP(host) === 6 ? `[${host}]` : host, ...otherHosts] };
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url = '', headers, rawHeaders } = request;
    const refusal = checkRequest({ method, path: url.replace(/\?.*$/s, ''), headers, rawHeaders }, guard);
    if (refusal !== null) {
      sendRejection(response, refusal);
      return;
    }
    if (/^100-continue$/i.test(headers.expect ?? '')) response.writeContinue();
    handleRequest({ request, response }, { sessions, modern }).catch((error) =>
      sendInternalError(response, error, complain),
    );
  };
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: HEAD_MS, connectionsCheckingInterval: 1_000 },
    take,
  );
  // Requests with `Expect: 100-continue` are checked before the body is sent.
  server.on('checkContinue', take);
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, { host, port });
  const address = server.address();
  const at = typeof address === 'object' && address !== null ? address.port : port;
  complain(
    `serving MCP on http://${isIP(host) === 6 ? `[${host}]` : host}:${at}${MCP_ENDPOINT}; the token is in ${tokenFile}`,
  );
  if (!isLoopback(host))
    complain(`${host} is reachable from other machines, and the connection is not encrypted`);
  await waitForAbort(stop.signal);
  server.close();
  await Promise.all([modern.close(), sessions.close(stop.killSignal)]);
  server.closeAllConnections();
}

/** Selects a session in the newer protocol revision, which has none of its own. */
const SESSION_HEADER = 'nacre-session';

interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface HttpServices {
  readonly sessions: HttpSessions;
  readonly modern: McpHttpHandler;
}

async function handleRequest({ request, response }: HttpExchange, serving: HttpServices): Promise<void> {
  const web = toWebRequest(request, response);
  const body = request.method === 'POST' ? await readBody(request) : { value: undefined };
  if ('status' in body) return sendRejection(response, body);
  const parsedBody = body.value;
  const isLegacy = await isLegacyRequest(web, parsedBody);
  const answered = await (isLegacy
    ? handleLegacyRequest(web, parsedBody, serving)
    : handleModernRequest(web, parsedBody, serving));
  if ('message' in answered) return sendRejection(response, answered);
  whenAborted(web.signal, answered.over);
  await sendWebResponse(answered.result, response);
}

/** A response, and the function to call when its request has ended. */
interface HandledRequest {
  readonly result: Response;
  readonly over: () => void;
}

async function handleModernRequest(
  web: Request,
  parsedBody: unknown,
  serving: HttpServices,
): Promise<HandledRequest | HttpRejection> {
  const { sessions, modern } = serving;
  const session = sessions.findOrCreate(web.headers.get(SESSION_HEADER));
  if ('status' in session) return session;
  const over = sessions.holdOpen(session);
  return { over, result: await modern.fetch(web, { parsedBody }) };
}

async function handleLegacyRequest(
  web: Request,
  parsedBody: unknown,
  { sessions }: HttpServices,
): Promise<HandledRequest | HttpRejection> {
  const id = web.headers.get('mcp-session-id');
  const transport = id === null ? await startLegacySession(parsedBody, sessions) : sessions.client(id);
  if (transport === undefined)
    return { status: 404, message: 'The session does not exist or has expired. Send initialize again.' };
  if ('status' in transport) return transport;
  const over = sessions.holdOpen(id ?? transport.sessionId ?? '');
  return { over, result: await transport.handleRequest(web, { parsedBody }) };
}

function startLegacySession(
  parsedBody: unknown,
  sessions: HttpSessions,
): ReturnType<HttpSessions['createLegacySession']> | HttpRejection {
  const first = Array.isArray(parsedBody) ? parsedBody[0] : parsedBody;
  if (isInitializeRequest(first)) return sessions.createLegacySession();
  return { status: 400, message: 'Mcp-Session-Id is missing; the first request is initialize.' };
}

/** Errors are only reported while a response can still be sent; otherwise the client has disconnected. */
function sendInternalError(
  response: ServerResponse,
  error: unknown,
  complain: (problem: string) => void,
): void {
  if (!response.destroyed && !response.headersSent) {
    sendRejection(response, { status: 500, message: 'Internal error in nacre.' });
    complain(error instanceof Error ? error.message : String(error));
  } else response.destroy();
}

function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'the port is in use' : error.message;
      reject(new NacreError('listen_failed', { address: `${host}:${port}`, reason }, { cause: error }));
    });
    server.listen({ host, port }, resolve);
  });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}
