import { readFileSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { join } from 'node:path';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach } from 'vitest';
import type { Era } from './mcp-client.ts';
import { nacreEnv, type Started, startNacre } from './nacre-cli.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export interface HttpPeer {
  readonly root: string;
  readonly port: number;
  readonly token: string;
  readonly started: Started;
  connect(options: {
    era: Era;
    client?: ClientOptions;
    headers?: Record<string, string>;
    prepare?: (client: Client) => void;
  }): Promise<Client>;
  /** A request by hand: whatever is not given is as it should be. */
  send(options: Sending): Promise<Reply>;
  /** The same, with everything left to the caller. */
  raw(options: RequestOptions): ClientRequest;
}

export interface Sending {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** `nacre mcp --http` on a port of its own, for one test. */
export function useMcpHttp(): (options?: {
  args?: readonly string[];
  env?: Record<string, string>;
}) => Promise<HttpPeer> {
  const servers: Started[] = [];
  const clients: Client[] = [];
  afterEach(async () => {
    await Promise.allSettled(clients.splice(0).map((client) => client.close()));
    for (const { child, finished } of servers.splice(0)) {
      child.kill('SIGTERM');
      await finished;
    }
  });
  return async ({ args = [], env = {} } = {}) => {
    const root = temporaryDirectory();
    const started = startNacre(['mcp', '--http', '--port', '0', ...args], {
      env: nacreEnv(root, env),
      cwd: root,
    });
    servers.push(started);
    const port = await portOf(started);
    const [, own = join(root, 'state/nacre/mcp-token')] = args[0] === '--token-file' ? args : [];
    const token = readFileSync(own, 'utf8').trim();
    const raw = (options: RequestOptions): ClientRequest => request({ host: '127.0.0.1', port, ...options });
    return {
      ...{ root, port, token, started, raw },
      send: (sending) => send(sending, { raw, token, port }),
      connect: async ({ era, client: more = {}, headers = {}, prepare }) => {
        const client = new Client(
          { name: 'test', version: '1' },
          { ...more, versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' } },
        );
        prepare?.(client);
        const requestInit = { headers: { Authorization: `Bearer ${token}`, ...headers } };
        await client.connect(
          new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit }),
        );
        clients.push(client);
        return client;
      },
    };
  };
}

function portOf({ child, finished }: Started): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (chunk) => {
      said += String(chunk);
      const [, port] = /serving MCP on http:\/\/\S+:(\d+)\/mcp/.exec(said) ?? [];
      if (port !== undefined) resolve(Number(port));
    });
    void finished.then(() => reject(new Error(`it ended: ${said}`)));
  });
}

const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

function send(
  { method = 'POST', path = '/mcp', headers = {}, body = INITIALIZE }: Sending,
  { raw, token, port }: { raw: HttpPeer['raw']; token: string; port: number },
): Promise<Reply> {
  const all = {
    Host: `127.0.0.1:${port}`,
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...headers,
  };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const sent = raw({ method, path, headers: given as Record<string, string>, setHost: false });
    sent.once('error', reject);
    sent.once('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      answer.once('close', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    sent.end(method === 'POST' ? body : undefined);
  });
}
