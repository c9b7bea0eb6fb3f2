import { lookup } from 'node:dns/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import { judgeAddress, type Match, matchTarget, parseTarget, type Reach, type Target } from './allowed.ts';
import { Frames } from './frames.ts';

/** The address to connect to, or why there is none. */
type Way = { readonly address: string; readonly port: number } | { readonly refusal: string };

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
  const address = await findWay(url, allow);
  if ('refusal' in address) {
    client.end(
      `HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${address.refusal}\n`,
    );
    return;
  }
  const upstream = connect({ host: address.address, port: address.port }, () => {
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
  const address =
    url === null
      ? { refusal: 'Only http:// can be asked for here.' }
      : await findWay(`${url.hostname}:${url.port || 80}`, allow);
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
        port: address.port,
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

/** Resolves a host of the list once: the address that is judged is the one that is connected to. */
async function findWay(text: string, allow: readonly string[]): Promise<Way> {
  const target = parseTarget(text);
  const match = target === null ? null : matchTarget(allow, target);
  if (target === null || match === null) return { refusal: `${text} is not on the sandbox's list of hosts.` };
  const { host, port } = target;
  if (target.kind === 'address') return { address: host, port };
  try {
    const found = await lookup(host, { all: true });
    const own = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
    const usable = found.find(({ address }) => mayReach(judgeAddress(address, own), { match, target }));
    if (usable !== undefined) return { address: usable.address, port };
    const addresses = found.map(({ address }) => address).join(', ');
    return {
      refusal: `${host} leads to ${addresses}: this machine or its network, which is not on the sandbox's list as that. Put the ${match === 'wildcard' ? 'whole name or the ' : ''}address on it.`,
    };
  } catch {
    return { refusal: `${host} could not be found.` };
  }
}

/** A name leads into a private network only when the list has that very name, and to this machine only as `localhost`. */
function mayReach(reach: Reach, { match, target }: { match: Match; target: Target }): boolean {
  if (target.host === 'localhost') return reach === 'local';
  return reach === 'public' || (reach === 'private' && match === 'exact');
}

function parse(url: string | undefined): URL | null {
  try {
    const parsed = new URL(url ?? '');
    return parsed.protocol === 'http:' ? parsed : null;
  } catch {
    return null;
  }
}
