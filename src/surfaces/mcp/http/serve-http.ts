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
import { whenAborted } from '../../serving/when-aborted.ts';
import { createToolServer } from '../tool-server.ts';
import { answerRefusal, readBody, sendWebResponse, toWebRequest } from './exchange.ts';
import { ENDPOINT, type Refusal, refuse } from './guard.ts';
import { HttpSessions, type HttpSessionsOptions } from './http-sessions.ts';
import { readToken } from './token.ts';

export interface HttpOptions extends HttpSessionsOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly tokenFile: string;
  /** Names besides those of this machine's loopback by which clients may call the server. */
  readonly otherHosts: readonly string[];
  readonly complain: (problem: string) => void;
  /** Ends the server. */
  readonly stop: StopSignals;
}

/** Connections at once; the rest is not let in. */
const MAX_CONNECTIONS = 128;
/** For a whole request to arrive, and for its head. */
const REQUEST_MS = 15_000;
const HEAD_MS = 5_000;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Serves any number of clients over HTTP until it is told to end. Jobs go on. */
export async function serveHttp(options: HttpOptions): Promise<void> {
  const { host, port, tokenFile, otherHosts, complain, stop, version } = options;
  const token = readToken(tokenFile);
  const sessions = new HttpSessions(options);
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const session = sessions.named(requestInfo?.headers.get(SESSION_HEADER) ?? null);
      if ('status' in session) throw new Error(session.message);
      return createToolServer({ session, version, isModern: true, announces: false });
    },
    { legacy: 'reject', onerror: () => undefined },
  );
  const { resourceUpdated, resourcesChanged } = modern.notify;
  sessions.announcer = {
    subscribed: new Set(),
    resourceUpdated,
    resourcesChanged,
    jobEnded: () => undefined,
  };
  const guard = { token, hosts: [...LOOPBACK, isIP(host) === 6 ? `[${host}]` : host, ...otherHosts] };
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url = '', headers, rawHeaders } = request;
    const refusal = refuse({ method, path: url.replace(/\?.*$/s, ''), headers, rawHeaders }, guard);
    if (refusal !== null) {
      answerRefusal(response, refusal);
      return;
    }
    if (/^100-continue$/i.test(headers.expect ?? '')) response.writeContinue();
    answer({ request, response }, { sessions, modern }).catch((error) => fail(response, error, complain));
  };
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: HEAD_MS, connectionsCheckingInterval: 1_000 },
    take,
  );
  // Who asks whether to send its body is looked at first.
  server.on('checkContinue', take);
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, { host, port });
  const address = server.address();
  const at = typeof address === 'object' && address !== null ? address.port : port;
  complain(
    `serving MCP on http://${isIP(host) === 6 ? `[${host}]` : host}:${at}${ENDPOINT}; the token is in ${tokenFile}`,
  );
  if (!isLoopback(host)) complain(`${host} can be reached by others, and what is said is not encrypted`);
  await new Promise<void>((resolve) => whenAborted(stop.signal, resolve));
  server.close();
  await Promise.all([modern.close(), sessions.close(stop.killSignal)]);
  server.closeAllConnections();
}

/** By which a client of the newer revision, which has no sessions, asks for one. */
const SESSION_HEADER = 'nacre-session';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Serving {
  readonly sessions: HttpSessions;
  readonly modern: McpHttpHandler;
}

async function answer({ request, response }: Exchange, serving: Serving): Promise<void> {
  const web = toWebRequest(request, response);
  const body = request.method === 'POST' ? await readBody(request) : { value: undefined };
  if ('status' in body) return answerRefusal(response, body);
  const parsedBody = body.value;
  const isLegacy = await isLegacyRequest(web, parsedBody);
  const answered = await (isLegacy
    ? answerOlder(web, parsedBody, serving)
    : answerNewer(web, parsedBody, serving));
  if ('message' in answered) return answerRefusal(response, answered);
  whenAborted(web.signal, answered.over);
  await sendWebResponse(answered.result, response);
}

/** What is sent back, and whom to tell when it is over. */
interface Answered {
  readonly result: Response;
  readonly over: () => void;
}

async function answerNewer(web: Request, parsedBody: unknown, serving: Serving): Promise<Answered | Refusal> {
  const { sessions, modern } = serving;
  const session = sessions.named(web.headers.get(SESSION_HEADER));
  if ('status' in session) return session;
  const over = sessions.use(session);
  return { over, result: await modern.fetch(web, { parsedBody }) };
}

async function answerOlder(
  web: Request,
  parsedBody: unknown,
  { sessions }: Serving,
): Promise<Answered | Refusal> {
  const id = web.headers.get('mcp-session-id');
  const transport = id === null ? await welcome(parsedBody, sessions) : sessions.client(id);
  if (transport === undefined)
    return { status: 404, message: 'There is no such session, or not any more: initialize again.' };
  if ('status' in transport) return transport;
  const over = sessions.use(id ?? transport.sessionId ?? '');
  return { over, result: await transport.handleRequest(web, { parsedBody }) };
}

function welcome(parsedBody: unknown, sessions: HttpSessions): ReturnType<HttpSessions['welcome']> | Refusal {
  const first = Array.isArray(parsedBody) ? parsedBody[0] : parsedBody;
  if (isInitializeRequest(first)) return sessions.welcome();
  return { status: 400, message: 'Mcp-Session-Id is missing; the first request is initialize.' };
}

/** A client that broke off halfway is nothing to talk about. */
function fail(response: ServerResponse, error: unknown, complain: (problem: string) => void): void {
  if (!response.destroyed && !response.headersSent) {
    answerRefusal(response, { status: 500, message: 'Something is wrong in nacre itself.' });
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
