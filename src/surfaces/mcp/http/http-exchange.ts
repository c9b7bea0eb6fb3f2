import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpRejection } from './access-guard.ts';

/** What one request may carry: a command and its input fit many times over. */
export const MAX_BODY_BYTES: number = 4 * 1024 * 1024;

/** Somebody who is still sending gets so long to notice that it was turned away. */
const REJECTED_BODY_MS = 1_000;

/** Turns a request away. What is left of its body is thrown away for a moment, and then the connection is cut. */
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

/** The body as a value, or why it is turned away. */
export async function readBody(
  request: IncomingMessage,
): Promise<{ readonly value: unknown } | HttpRejection> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    return { status: 415, message: 'The body must be application/json.' };
  const tooLarge = { status: 413, message: `A body may have ${MAX_BODY_BYTES} bytes.` };
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return tooLarge;
  const chunks: Buffer[] = [];
  let length = 0;
  // The rest of it is left where it is: whoever sent it is to read our answer.
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

/** The request as the protocol's library takes it. Aborted when its client is gone. */
export function toWebRequest(request: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    for (const each of Array.isArray(value) ? value : [value ?? '']) headers.append(name, each);
  const { method = 'GET', url = '/' } = request;
  return new Request(new URL(url, 'http://localhost'), { method, headers, signal: gone.signal });
}

/** Who has not read on for so long is gone: what would be told to it is held in memory. */
const UNREAD_MS = 30_000;

/** Passes an answer on as fast as it is read. */
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
  // A stream that says nothing yet is to be seen all the same.
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
    // The library closed it under us: what there was has been sent.
  }
  response.end();
}

async function waitForDrain(response: ServerResponse, unreadMs: number): Promise<void> {
  const timer = setTimeout(() => response.destroy(), unreadMs);
  await Promise.race([once(response, 'drain'), once(response, 'close')]);
  clearTimeout(timer);
}
