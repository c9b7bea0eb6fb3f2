import { BlockList, isIP, isIPv4 } from 'node:net';

/** The ports of an entry that names none. */
const USUAL_PORTS = [80, 443];

const MAX_NAME_LENGTH = 253;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Where a command wants to connect to: a DNS name in lower case, or an address in its canonical form. */
export interface Target {
  readonly kind: 'name' | 'address';
  readonly host: string;
  readonly port: number;
}

/** How a target is on the list: by its own name or address, or below a name that the list has with `*.`. */
export type Match = 'exact' | 'wildcard' | null;

/** Reads `host:port`; IPv6 addresses are in brackets. `null` for everything that is not exactly that. */
export function parseTarget(text: string): Target | null {
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:[\]]*):(\d{1,5})$/.exec(text) ?? [];
  const parsed = parseHost(host);
  const number = Number(port);
  return parsed === null || number < 1 || number > 65_535 ? null : { ...parsed, port: number };
}

/** Whether a target is on the list: its name in any case, and a port that the entry names or a usual one. */
export function matchTarget(list: readonly string[], target: Target): Match {
  const matches = list.map((entry) => matchEntry(entry, target));
  return matches.find((match) => match === 'exact') ?? matches.find((match) => match === 'wildcard') ?? null;
}

function matchEntry(entry: string, { kind, host, port }: Target): Match {
  const isBareAddress = isIP(entry) === 6;
  const [, pattern = '', number] = isBareAddress
    ? ['', `[${entry}]`]
    : (/^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []);
  const isPort = number === undefined ? USUAL_PORTS.includes(port) : Number(number) === port;
  if (!isPort) return null;
  if (pattern.startsWith('*.')) return kind === 'name' && host.endsWith(pattern.slice(1)) ? 'wildcard' : null;
  const listed = parseHost(pattern);
  return listed?.kind === kind && listed.host === host ? 'exact' : null;
}

function parseHost(text: string): Pick<Target, 'kind' | 'host'> | null {
  const bracketed = /^\[(.*)\]$/.exec(text)?.[1];
  if (bracketed !== undefined) {
    // A zone id (`%eth0`) is part of an address for Node, and everything may follow the `%`.
    if (bracketed.includes('%') || isIP(bracketed) !== 6) return null;
    return { kind: 'address', host: toCanonical(bracketed) };
  }
  if (isIPv4(text)) return { kind: 'address', host: text };
  const host = text.toLowerCase().replace(/\.$/, '');
  const labels = host.split('.');
  // A last label of digits makes an address of it for the resolver: 127.1, 0x7f000001.
  const isNumber = /^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '');
  const isName = host.length <= MAX_NAME_LENGTH && labels.every((label) => LABEL.test(label));
  return isName && !isNumber ? { kind: 'name', host } : null;
}

/** An IPv6 address in its shortest form, and the IPv4 address of one that only wraps it (`::ffff:127.0.0.1`). */
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

/** What an address is to this machine. `local`: its own, or its link's. `private`: of its network. */
export type Reach = 'local' | 'private' | 'public';

const LOCAL = subnets([
  ...['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/96', 'fe80::/10', 'ff00::/8'],
]);
const PRIVATE = subnets([
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15'],
  ...['fc00::/7', 'fec0::/10', '64:ff9b:1::/48', '2002::/16'],
]);

/** Judges an address; `own` are those of this machine's interfaces. */
export function judgeAddress(address: string, own: readonly string[]): Reach {
  // A link-local address comes from the resolver with its zone.
  if (address.includes('%') || isIP(address) === 0) return 'local';
  const canonical = toCanonical(address);
  const judged = embeddedAddress(canonical, '64:ff9b::') ?? canonical;
  const family = isIPv4(judged) ? 'ipv4' : 'ipv6';
  if (LOCAL.check(judged, family) || own.some((other) => toCanonical(other) === judged)) return 'local';
  return PRIVATE.check(judged, family) ? 'private' : 'public';
}

function subnets(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  return list;
}
