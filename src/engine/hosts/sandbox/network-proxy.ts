import { lookup } from 'node:dns/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { BlockList, connect, isIP, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Duplex } from 'node:stream';

/** The resolved address, or the reason for a refusal. */
type Route = { readonly address: string; readonly port: number } | { readonly refusal: string };

/** Serves an HTTP proxy over the channel of a sandbox, limited to the hosts of an allow list. */
export function serveProxy(channel: Duplex, allow: readonly string[]): void {
  const server = createServer((incoming, outgoing) => void forwardRequest(incoming, { outgoing, allow }));
  server.on(
    'connect',
    (incoming: IncomingMessage, client: Duplex) => void openTunnel(incoming, { client, allow }),
  );
  server.on('clientError', (_error, socket) => socket.destroy());
  new ConnectionMultiplexer(channel, (connection) => server.emit('connection', connection));
}

async function openTunnel(
  { url = '' }: IncomingMessage,
  { client, allow }: { client: Duplex; allow: readonly string[] },
): Promise<void> {
  client.on('error', () => undefined);
  const route = await resolveRoute(url, allow);
  if ('refusal' in route) {
    client.end(
      `HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${route.refusal}\n`,
    );
    return;
  }
  const upstream = connect({ host: route.address, port: route.port }, () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    upstream.pipe(client).pipe(upstream);
  });
  upstream.on('error', () => client.destroy());
  client.on('close', () => upstream.destroy());
}

async function forwardRequest(
  incoming: IncomingMessage,
  { outgoing, allow }: { outgoing: ServerResponse; allow: readonly string[] },
): Promise<void> {
  const url = parseHttpUrl(incoming.url);
  const route =
    url === null
      ? { refusal: 'This proxy serves only http:// URLs and CONNECT.' }
      : await resolveRoute(`${url.hostname}:${url.port || 80}`, allow);
  if (url === null || 'refusal' in route) {
    outgoing.writeHead(403, { 'content-type': 'text/plain', connection: 'close' });
    outgoing.end(`${'refusal' in route ? route.refusal : ''}\n`);
    return;
  }
  const { 'proxy-connection': _, 'proxy-authorization': __, ...headers } = incoming.headers;
  const upstream = request(
    {
      method: incoming.method,
      host: route.address,
      port: route.port,
      path: `${url.pathname}${url.search}`,
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

/** Resolves a host of the list exactly once: the checked address is the one that is connected to. */
async function resolveRoute(text: string, allow: readonly string[]): Promise<Route> {
  const target = parseTarget(text);
  const match = target === null ? null : matchTarget(allow, target);
  if (target === null || match === null) return { refusal: `${text} is not on the sandbox's list of hosts.` };
  const { host, port } = target;
  if (target.kind === 'address') return { address: host, port };
  try {
    const found = await lookup(host, { all: true });
    const own = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
    const usable = found.find(({ address }) => mayReach(classifyAddress(address, own), { match, target }));
    if (usable !== undefined) return { address: usable.address, port };
    const addresses = found.map(({ address }) => address).join(', ');
    return {
      refusal: `${host} resolves to ${addresses}, an address of this machine or its network, which the sandbox's list does not allow by this name. Add the ${match === 'wildcard' ? 'full name or the ' : ''}address to the list.`,
    };
  } catch {
    return { refusal: `${host} could not be resolved.` };
  }
}

/** A private address requires an exact entry; a local address is allowed only for the name `localhost`. */
function mayReach(reach: Reach, { match, target }: { match: Match; target: Target }): boolean {
  if (target.host === 'localhost') return reach === 'local';
  return reach === 'public' || (reach === 'private' && match === 'exact');
}

function parseHttpUrl(url: string | undefined): URL | null {
  try {
    const parsed = new URL(url ?? '');
    return parsed.protocol === 'http:' ? parsed : null;
  } catch {
    return null;
  }
}

/** For entries without a port. */
const DEFAULT_PORTS = [80, 443];

const MAX_NAME_LENGTH = 253;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** The requested destination: a DNS name in lower case, or an address in canonical form. */
interface Target {
  readonly kind: 'name' | 'address';
  readonly host: string;
  readonly port: number;
}

/** How a target matches the list: by its own name or address, or by a `*.` entry. */
type Match = 'exact' | 'wildcard' | null;

/** Parses `host:port`, with IPv6 addresses in brackets; `null` for any other text. */
export function parseTarget(text: string): Target | null {
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:[\]]*):(\d{1,5})$/.exec(text) ?? [];
  const parsed = parseHost(host);
  const number = Number(port);
  return parsed === null || number < 1 || number > 65_535 ? null : { ...parsed, port: number };
}

/** Matches a target against the allow list, case-insensitively and including the port. */
export function matchTarget(list: readonly string[], target: Target): Match {
  const matches = list.map((entry) => matchEntry(entry, target));
  return matches.find((match) => match === 'exact') ?? matches.find((match) => match === 'wildcard') ?? null;
}

function matchEntry(entry: string, { kind, host, port }: Target): Match {
  const isBareAddress = isIP(entry) === 6;
  const [, pattern = '', number] = isBareAddress
    ? ['', `[${entry}]`]
    : (/^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []);
  const isPort = number === undefined ? DEFAULT_PORTS.includes(port) : Number(number) === port;
  if (!isPort) return null;
  if (pattern.startsWith('*.')) return kind === 'name' && host.endsWith(pattern.slice(1)) ? 'wildcard' : null;
  const listed = parseHost(pattern);
  return listed?.kind === kind && listed.host === host ? 'exact' : null;
}

function parseHost(text: string): Pick<Target, 'kind' | 'host'> | null {
  const bracketed = /^\[(.*)\]$/.exec(text)?.[1];
  if (bracketed !== undefined) {
    // Node accepts any text after the `%` of a zone id (`%eth0`).
    if (bracketed.includes('%') || isIP(bracketed) !== 6) return null;
    return { kind: 'address', host: toCanonical(bracketed) };
  }
  if (isIPv4(text)) return { kind: 'address', host: text };
  const host = text.toLowerCase().replace(/\.$/, '');
  const labels = host.split('.');
  // The resolver reads a name with a numeric last label as an address: 127.1, 0x7f000001.
  const isNumber = /^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '');
  const isName = host.length <= MAX_NAME_LENGTH && labels.every((label) => LABEL.test(label));
  return isName && !isNumber ? { kind: 'name', host } : null;
}

/** Shortest form of an IPv6 address; an IPv4-mapped address (`::ffff:127.0.0.1`) becomes its IPv4 address. */
function toCanonical(address: string): string {
  if (isIP(address) !== 6) return address;
  const short = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  return embeddedAddress(short, '::ffff:') ?? short;
}

/** The IPv4 address in the last 32 bits of an IPv6 address with this prefix. */
function embeddedAddress(address: string, prefix: string): string | null {
  if (!address.startsWith(prefix)) return null;
  const words = address.slice(prefix.length).split(':');
  if (words.length > 2 || words.some((word) => !/^[0-9a-f]{1,4}$/.test(word))) return null;
  const bits = words.reduce((sum, word) => sum * 0x1_0000 + Number.parseInt(word, 16), 0);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
}

/** Scope of an address. `local`: this machine or its link. `private`: its network. */
type Reach = 'local' | 'private' | 'public';

const LOCAL = subnets([
  ...['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/96', 'fe80::/10', 'ff00::/8'],
]);
const PRIVATE = subnets([
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15'],
  ...['fc00::/7', 'fec0::/10', '64:ff9b:1::/48', '2002::/16'],
]);

/** Classifies an address; `own` are the addresses of this machine's interfaces. */
export function classifyAddress(address: string, own: readonly string[]): Reach {
  // The resolver returns link-local addresses with a zone.
  if (address.includes('%') || isIP(address) === 0) return 'local';
  const canonical = toCanonical(address);
  const checked = embeddedAddress(canonical, '64:ff9b::') ?? canonical;
  const family = isIPv4(checked) ? 'ipv4' : 'ipv6';
  if (LOCAL.check(checked, family) || own.some((other) => toCanonical(other) === checked)) return 'local';
  return PRIVATE.check(checked, family) ? 'private' : 'public';
}

function subnets(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  return list;
}

const [OPEN, DATA, END] = [1, 2, 3];
const HEAD_BYTES = 9;
/** The bridge reads less than this at once; a longer frame is an attack. */
const MAX_FRAME_BYTES = 4 * 1024 * 1024;

/**
 * Multiplexes connections of the network bridge over one stream. The peer runs in the sandbox and is untrusted.
 */
class ConnectionMultiplexer {
  readonly #channel: Duplex;
  readonly #onConnection: (connection: Duplex) => void;
  readonly #connections = new Map<number, MultiplexedConnection>();
  #rest: Buffer = Buffer.alloc(0);

  constructor(channel: Duplex, onConnection: (connection: Duplex) => void) {
    this.#channel = channel;
    this.#onConnection = onConnection;
    channel.on('data', (chunk: Buffer) => this.#take(chunk));
    channel.on('error', () => undefined);
    channel.on('close', () => {
      for (const connection of this.#connections.values()) connection.destroy();
    });
  }

  send(kind: 'data' | 'end', { id, bytes }: { id: number; bytes: Buffer }): boolean {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt8(kind === 'data' ? DATA : END, 0);
    head.writeUInt32BE(id, 1);
    head.writeUInt32BE(bytes.length, 5);
    return this.#channel.destroyed || this.#channel.write(Buffer.concat([head, bytes]));
  }

  whenDrained(callback: () => void): void {
    this.#channel.once('drain', callback);
  }

  forget(id: number): void {
    this.#connections.delete(id);
  }

  pause(): void {
    this.#channel.pause();
  }

  resume(): void {
    this.#channel.resume();
  }

  #take(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= HEAD_BYTES) {
      const length = this.#rest.readUInt32BE(5);
      if (length > MAX_FRAME_BYTES) {
        this.#channel.destroy();
        return;
      }
      if (this.#rest.length < HEAD_BYTES + length) return;
      const frame = this.#rest.subarray(0, HEAD_BYTES + length);
      this.#rest = this.#rest.subarray(HEAD_BYTES + length);
      this.#handle(frame);
    }
  }

  #handle(frame: Buffer): void {
    const [kind, id] = [frame.readUInt8(0), frame.readUInt32BE(1)];
    if (kind === OPEN && !this.#connections.has(id)) {
      const connection = new MultiplexedConnection(this, id);
      this.#connections.set(id, connection);
      this.#onConnection(connection);
    } else if (kind === DATA) this.#connections.get(id)?.receive(Buffer.from(frame.subarray(HEAD_BYTES)));
    else if (kind === END) this.#connections.get(id)?.receive(null);
  }
}

class MultiplexedConnection extends Duplex {
  readonly #frames: ConnectionMultiplexer;
  readonly #id: number;
  #isEnded = false;

  constructor(frames: ConnectionMultiplexer, id: number) {
    super({ allowHalfOpen: true });
    this.#frames = frames;
    this.#id = id;
  }

  receive(bytes: Buffer | null): void {
    if (this.#isEnded || this.destroyed) return;
    if (bytes === null) this.#isEnded = true;
    if (!this.push(bytes) && bytes !== null) this.#frames.pause();
  }

  override _read(): void {
    this.#frames.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#frames.send('data', { id: this.#id, bytes })) done();
    else this.#frames.whenDrained(done);
  }

  override _final(done: () => void): void {
    this.#frames.send('end', { id: this.#id, bytes: Buffer.alloc(0) });
    done();
  }

  override _destroy(_error: Error | null, done: (error: Error | null) => void): void {
    this.#frames.send('end', { id: this.#id, bytes: Buffer.alloc(0) });
    this.#frames.forget(this.#id);
    this.#frames.resume();
    done(null);
  }
}
