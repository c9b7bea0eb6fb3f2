import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Why a request is turned away, before anything of its body is read. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface GuardOptions {
  readonly token: string;
  /** The names by which this server may be called; without a port. */
  readonly hosts: readonly string[];
}

/** What of a request is looked at. */
export interface Knock {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
}

export const ENDPOINT = '/mcp';
const METHODS = ['POST', 'GET', 'DELETE'];

/**
 * A page in a browser on this machine can reach us, also under a name of its own that suddenly means this machine. It
 * cannot choose what Host and Origin say, and it does not know the token.
 */
export function refuse(knock: Knock, { token, hosts }: GuardOptions): Refusal | null {
  const { method, path, headers } = knock;
  const { host, origin, authorization } = headers;
  if (timesGiven('host', knock) > 1) return { status: 400, message: 'A request names one Host.' };
  if (host === undefined || !isAmong(`http://${host}`, hosts))
    return { status: 403, message: `This server is not called ${host ?? 'by no name'}.` };
  if (origin !== undefined && !isAmong(origin, hosts))
    return { status: 403, message: `Pages of ${origin} may not use this server.` };
  if (!isSame(/^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '', token))
    return {
      status: 401,
      message: 'A bearer token is needed; nacre mcp --http says where it is.',
      headers: { 'WWW-Authenticate': 'Bearer' },
    };
  if (path !== ENDPOINT) return { status: 404, message: `There is only ${ENDPOINT} here.` };
  if (!METHODS.includes(method))
    return {
      status: 405,
      message: `${method} is not for this server.`,
      headers: { Allow: METHODS.join(', ') },
    };
  return null;
}

/** Of several, some look at the first one and some at the last. */
function timesGiven(header: string, { rawHeaders }: Knock): number {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === header).length;
}

function isAmong(url: string, hosts: readonly string[]): boolean {
  try {
    const { hostname, protocol, pathname, username } = new URL(url);
    const isPlain = pathname === '/' && username === '';
    return isPlain && /^https?:$/.test(protocol) && hosts.includes(hostname);
  } catch {
    return false;
  }
}

/** In the same time however much of it is right. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
