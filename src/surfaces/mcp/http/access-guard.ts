import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { dirname } from 'node:path';
import { NacreError } from '../../../index.ts';

/** An HTTP error response. */
export interface HttpRejection {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface GuardOptions {
  readonly token: string;
  /** Accepted host names, without ports. */
  readonly hosts: readonly string[];
}

/** The parts of a request that `checkRequest` needs. */
export interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternate, as in `IncomingMessage.rawHeaders`. */
  readonly rawHeaders: readonly string[];
}

export const MCP_ENDPOINT = '/mcp';
const ALLOWED_METHODS = ['POST', 'GET', 'DELETE'];

/**
 * Checks a request before its body is read; returns `null` when it is accepted.
 *
 * A web page in a local browser can reach this server, also by DNS rebinding. It cannot choose the Host and
 * Origin headers and does not know the token.
 */
export function checkRequest(knock: RequestHead, { token, hosts }: GuardOptions): HttpRejection | null {
  const { method, path, headers } = knock;
  const { host, origin, authorization } = headers;
  if (countHeader('host', knock) > 1)
    return { status: 400, message: 'The request has several Host headers.' };
  if (host === undefined || !isAllowedHost(`http://${host}`, hosts))
    return { status: 403, message: `Host '${host ?? ''}' is not allowed.` };
  if (origin !== undefined && !isAllowedHost(origin, hosts))
    return { status: 403, message: `Origin '${origin}' is not allowed.` };
  if (!isSameToken(/^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '', token))
    return {
      status: 401,
      message: 'A bearer token is required. nacre mcp --http prints its file.',
      headers: { 'WWW-Authenticate': 'Bearer' },
    };
  if (path !== MCP_ENDPOINT) return { status: 404, message: `Not found. The endpoint is ${MCP_ENDPOINT}.` };
  if (!ALLOWED_METHODS.includes(method))
    return {
      status: 405,
      message: `Method ${method} is not allowed.`,
      headers: { Allow: ALLOWED_METHODS.join(', ') },
    };
  return null;
}

/** Duplicate headers are rejected, because HTTP implementations disagree about which one counts. */
function countHeader(header: string, { rawHeaders }: RequestHead): number {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === header).length;
}

function isAllowedHost(url: string, hosts: readonly string[]): boolean {
  try {
    const { hostname, protocol, pathname, username } = new URL(url);
    const isPlain = pathname === '/' && username === '';
    return isPlain && /^https?:$/.test(protocol) && hosts.includes(hostname);
  } catch {
    return false;
  }
}

/** Compares in constant time. */
function isSameToken(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

const MIN_TOKEN_LENGTH = 16;

/** Reads the token from a file with mode 0600; creates the file on first use. */
export function readOrCreateToken(file: string): string {
  const token = readOrCreateFile(file).trim();
  if (token.length < MIN_TOKEN_LENGTH)
    throw new NacreError('token_unusable', {
      file,
      reason: `it has fewer than ${MIN_TOKEN_LENGTH} characters`,
    });
  if (/\s/.test(token)) throw new NacreError('token_unusable', { file, reason: 'it contains whitespace' });
  return token;
}

function readOrCreateFile(file: string): string {
  try {
    if (!statSync(file).isFile()) throw new Error('it is not a file');
    // The file may have been created with wider permissions.
    chmodSync(file, 0o600);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw tokenUnusable(file, error);
  }
  try {
    const token = randomBytes(32).toString('base64url');
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
    return token;
  } catch (error) {
    throw tokenUnusable(file, error);
  }
}

function tokenUnusable(file: string, cause: unknown): NacreError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new NacreError('token_unusable', { file, reason }, { cause });
}
