import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What came in, and how to answer it: with JSON, or with a stream of events. */
export interface Exchange {
  readonly url: string;
  readonly body: unknown;
  json(value: unknown): void;
  events(events: readonly { readonly event?: string; readonly data: unknown }[]): void;
}

/** A model on loopback. */
export async function openServer(answer: (exchange: Exchange) => void): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    answer({
      url: request.url ?? '',
      body: text.startsWith('{') ? JSON.parse(text) : text,
      json: (value) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      },
      events: (events) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const { event, data } of events)
          response.write(
            `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`,
          );
        response.end();
      },
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
