import { connect } from 'node:net';
import { endianness } from 'node:os';
import { listProcNumbers, readProcLink, readProcText } from '../process/proc-reader.ts';

/** A TCP port on which a process accepts connections. */
interface ListeningPort {
  readonly port: number;
  /** `127.0.0.1`, `::1`; `0.0.0.0` and `::` mean all addresses of the machine. */
  readonly address: string;
  readonly pid: number;
}

/** The listening TCP sockets of this machine at one moment, by their link in `/proc/<pid>/fd`. */
export type ListeningSockets = ReadonlyMap<string, Omit<ListeningPort, 'pid'>>;

const LISTENING = '0A';

/**
 * Reads the listening sockets once for any number of runs. Sockets of another network namespace are not
 * included.
 */
export function readListeningSockets(): ListeningSockets {
  const found = new Map<string, Omit<ListeningPort, 'pid'>>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of (readProcText(table) ?? '').split('\n')) {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state === LISTENING) found.set(`socket:[${inode}]`, parseSocketAddress(local));
    }
  }
  return found;
}

/**
 * The ports on which these processes accept connections, lowest first, each once with the first process that
 * holds it.
 */
export function findListeningPorts(
  pids: readonly number[],
  sockets: ListeningSockets = readListeningSockets(),
): ListeningPort[] {
  const found = new Map<string, ListeningPort>();
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

/** Parses `0100007F:1F90`: the address in 4-byte words of the machine's byte order, then the port. */
export function parseSocketAddress(text: string): Omit<ListeningPort, 'pid'> {
  const [address = '', port = '0'] = text.split(':');
  const words = address.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => {
    const each = [...Buffer.from(word, 'hex')];
    return endianness() === 'LE' ? each.reverse() : each;
  });
  return { port: Number.parseInt(port, 16), address: bytes.length === 4 ? bytes.join('.') : toIpv6(bytes) };
}

/** The short form of the address. */
function toIpv6(bytes: readonly number[]): string {
  const groups: string[] = [];
  for (let at = 0; at < bytes.length; at += 2)
    groups.push((((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16));
  // The URL parser knows which zeros the short form omits.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

interface PortCheckOptions {
  /** The only address to try. By default both loopback addresses are tried, and one is enough. */
  readonly host?: string | undefined;
  /** @default 250 */
  readonly limitMs?: number;
  readonly signal?: AbortSignal | undefined;
}

const LOOPBACK: readonly string[] = ['127.0.0.1', '::1'];
/** A loopback connection takes microseconds. No answer means a full queue or a packet filter. */
const CONNECT_TIMEOUT_MS = 250;

/** Whether a port accepts connections. Nothing is sent, and the connection is closed when this resolves. */
export async function acceptsConnections(port: number, options: PortCheckOptions = {}): Promise<boolean> {
  const { host, limitMs = CONNECT_TIMEOUT_MS, signal } = options;
  if (!isPort(port) || signal?.aborted) return false;
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  signal?.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(stop, limitMs);
  const attempts = (host === undefined ? LOOPBACK : [host]).map(async (each) => {
    const connected = await tryConnect({ port, host: each, signal: controller.signal });
    if (connected) stop();
    return connected;
  });
  const answers = await Promise.all(attempts);
  clearTimeout(timer);
  signal?.removeEventListener('abort', stop);
  return answers.includes(true);
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65_536;
}

interface ConnectTarget {
  readonly port: number;
  readonly host: string;
  readonly signal: AbortSignal;
}

function tryConnect({ port, host, signal }: ConnectTarget): Promise<boolean> {
  return new Promise((resolve) => {
    let connected = false;
    const socket = connect({ port, host });
    const close = (): void => void socket.destroy();
    signal.addEventListener('abort', close, { once: true });
    socket.once('connect', () => {
      connected = true;
      close();
    });
    // The reason does not matter: `close` follows and resolves with `false`.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      signal.removeEventListener('abort', close);
      resolve(connected);
    });
  });
}
