import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { sendWebResponse } from '../../../../src/surfaces/mcp/http/http-exchange.ts';

test('who stops reading an answer is taken for gone, and nothing more is made for it', async () => {
  let made = 0;
  let cancelled = false;
  const body = new ReadableStream({
    pull: (controller) => {
      made += 1;
      controller.enqueue(new Uint8Array(1_000_000));
    },
    cancel: () => {
      cancelled = true;
    },
  });
  const server = createServer((_, response) => void sendWebResponse(new Response(body), response, 50));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(() => cancelled, { timeout: 20_000 }).toBe(true);
  const before = made;
  socket.resume();
  await once(socket, 'close');
  expect(made).toBe(before);
});
