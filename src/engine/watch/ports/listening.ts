import { endianness } from 'node:os';
import { listProcNumbers, readProcLink, readProcText } from '../proc-file.ts';

/** Where somebody takes connections. */
export interface Port {
  readonly port: number;
  /** `127.0.0.1`, `::1`; `0.0.0.0` and `::` are all addresses of the machine. */
  readonly address: string;
  readonly pid: number;
}

/** The sockets of this machine that take connections, as they were at one moment, by their number. */
export type ListeningSockets = ReadonlyMap<string, Omit<Port, 'pid'>>;

const LISTENING = '0A';

/** One look at them serves any number of runs. Sockets of another network, a sandbox's, are not among them. */
export function readListeningSockets(): ListeningSockets {
  const found = new Map<string, Omit<Port, 'pid'>>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of (readProcText(table) ?? '').split('\n')) {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state === LISTENING) found.set(`socket:[${inode}]`, parseLocal(local));
    }
  }
  return found;
}

/** The ports on which these processes take connections, lowest first; each once, with the first process that holds it. */
export function findListeningPorts(
  pids: readonly number[],
  sockets: ListeningSockets = readListeningSockets(),
): Port[] {
  const found = new Map<string, Port>();
  if (sockets.size === 0) return [];
  for (const pid of pids) {
    for (const fd of listProcNumbers(`/proc/${pid}/fd`) ?? []) {
      const link = readProcLink(`/proc/${pid}/fd/${fd}`) ?? '';
      const socket = sockets.get(link);
      if (socket !== undefined && !found.has(link)) found.set(link, { ...socket, pid });
    }
  }
  return [...found.values()].sort((a, b) => a.port - b.port || a.address.localeCompare(b.address));
}

/** `0100007F:1F90`: the address as the machine keeps it in words of four bytes, the port as a number. */
export function parseLocal(text: string): Omit<Port, 'pid'> {
  const [address = '', port = '0'] = text.split(':');
  const words = address.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => {
    const each = [...Buffer.from(word, 'hex')];
    return endianness() === 'LE' ? each.reverse() : each;
  });
  return { port: Number.parseInt(port, 16), address: bytes.length === 4 ? bytes.join('.') : toIpv6(bytes) };
}

/** The short form, as people write it. */
function toIpv6(bytes: readonly number[]): string {
  const groups: string[] = [];
  for (let at = 0; at < bytes.length; at += 2)
    groups.push((((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16));
  // The URL parser of the platform knows which zeros may be left out.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
