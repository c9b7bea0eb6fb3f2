import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpRejection } from './access-guard.ts';

/** The largest accepted request body. */
export const MAX_BODY_BYTES: number = 4 * 1024 * 1024;

/** Time for the client to finish sending a rejected body and read the response. */
const REJECTED_BODY_MS = 1_000;

/** Rejects a request, discards the rest of its body for a short time and then closes the connection. */
export function sendRejection(
  response: ServerResponse,
  { status, message, headers = {} }: HttpRejection,
): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null });
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(body);
  const { req: request } = response;
  if (!request.complete) setTimeout(() => request.complete || request.destroy(), REJECTED_BODY_MS).unref();
}

/** Parses the body as JSON, or returns why it is rejected. */
export async function readBody(
  request: IncomingMessage,
): Promise<{ readonly value: unknown } | HttpRejection> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    return { status: 415, message: 'The body must be application/json.' };
  const tooLarge = { status: 413, message: `The body exceeds ${MAX_BODY_BYTES} bytes.` };
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return tooLarge;
  const chunks: Buffer[] = [];
  let length = 0;
  // The request stays open so that the client can read the rejection.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) return tooLarge;
    chunks.push(chunk);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    return { value: JSON.parse(text) };
  } catch {
    return { status: 400, message: 'The body is not JSON in UTF-8.' };
  }
}

/** Converts a Node request to a web `Request` whose signal aborts when the client disconnects. */
export function toWebRequest(request: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    for (const each of Array.isArray(value) ? value : [value ?? '']) headers.append(name, each);
  const { method = 'GET', url = '/' } = request;
  return new Request(new URL(url, 'http://localhost'), { method, headers, signal: gone.signal });
}

/** A client that has not read for this long is disconnected, because its responses are buffered in memory. */
const UNREAD_MS = 30_000;

/** Sends a web `Response` with backpressure. */
export async function sendWebResponse(
  answer: Response,
  response: ServerResponse,
  unreadMs: number = UNREAD_MS,
): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) {
    response.end();
    return;
  }
  // An event stream must be visible to the client before its first event.
  response.flushHeaders();
  const reader = answer.body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  response.once('close', cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || response.destroyed) break;
      if (!response.write(value)) await waitForDrain(response, unreadMs);
    }
  } catch {
    // The transport closed the stream: all available data has been sent.
  }
  response.end();
}

async function waitForDrain(response: ServerResponse, unreadMs: number): Promise<void> {
  const timer = setTimeout(() => response.destroy(), unreadMs);
  await Promise.race([once(response, 'drain'), once(response, 'close')]);
  clearTimeout(timer);
}
