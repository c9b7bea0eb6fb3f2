import { lookup } from 'node:dns/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { isAllowed, isInner } from './allowed.ts';
import { Frames } from './frames.ts';

interface Target {
  readonly host: string;
  readonly port: number;
}

/** The way out of a sandbox: what comes over the channel is asked of the network only for hosts on the list. */
export function serveProxy(channel: Duplex, allow: readonly string[]): void {
  const server = createServer((incoming, outgoing) => void pass(incoming, { outgoing, allow }));
  server.on(
    'connect',
    (incoming: IncomingMessage, client: Duplex) => void tunnel(incoming, { client, allow }),
  );
  server.on('clientError', (_error, socket) => socket.destroy());
  new Frames(channel, (connection) => server.emit('connection', connection));
}

async function tunnel(
  { url = '' }: IncomingMessage,
  { client, allow }: { client: Duplex; allow: readonly string[] },
): Promise<void> {
  client.on('error', () => undefined);
  const [, host = '', port = '443'] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(url) ?? [];
  const target = { host, port: Number(port) };
  const address = await findAddress(target, allow);
  if ('refusal' in address) {
    client.end(
      `HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${address.refusal}\n`,
    );
    return;
  }
  const upstream = connect({ host: address.address, port: target.port }, () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    upstream.pipe(client).pipe(upstream);
  });
  upstream.on('error', () => client.destroy());
  client.on('close', () => upstream.destroy());
}

async function pass(
  incoming: IncomingMessage,
  { outgoing, allow }: { outgoing: ServerResponse; allow: readonly string[] },
): Promise<void> {
  const url = parse(incoming.url);
  const target = { host: url?.hostname ?? '', port: Number(url?.port || 80) };
  const address =
    url === null ? { refusal: 'Only http:// can be asked for here.' } : await findAddress(target, allow);
  if (url === null || 'refusal' in address) {
    outgoing.writeHead(403, { 'content-type': 'text/plain', connection: 'close' });
    outgoing.end(`${'refusal' in address ? address.refusal : ''}\n`);
    return;
  }
  const { 'proxy-connection': _, 'proxy-authorization': __, ...headers } = incoming.headers;
  const upstream = request(
    {
      ...{
        method: incoming.method,
        host: address.address,
        port: target.port,
        path: `${url.pathname}${url.search}`,
      },
      headers: { ...headers, host: url.host },
    },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    },
  );
  upstream.on('error', () => outgoing.destroy());
  incoming.pipe(upstream);
}

/** Looked up here, once: what is connected to is what was judged. */
async function findAddress(
  { host, port }: Target,
  allow: readonly string[],
): Promise<{ readonly address: string } | { readonly refusal: string }> {
  if (!isAllowed(allow, { host, port }))
    return { refusal: `${host}:${port} is not on the sandbox's list of hosts.` };
  if (isIP(host) !== 0) return { address: host };
  try {
    const { address } = await lookup(host);
    const isTrick = isInner(address) && host !== 'localhost';
    return isTrick
      ? { refusal: `${host} leads to this machine, and is not on the sandbox's list as that.` }
      : { address };
  } catch {
    return { refusal: `${host} could not be found.` };
  }
}

function parse(url: string | undefined): URL | null {
  try {
    const parsed = new URL(url ?? '');
    return parsed.protocol === 'http:' ? parsed : null;
  } catch {
    return null;
  }
}
