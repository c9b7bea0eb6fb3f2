import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import {
  acceptsConnections,
  findListeningPorts,
  readListeningSockets,
} from '../../../src/engine/watch/ports.ts';

async function listen(host: string): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => socket.destroy());
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { server, port: address.port };
}

/** A server in another process, and the port it says. */
async function startServer(host: string): Promise<{ pid: number; port: number }> {
  const script = `const s = require('net').createServer(); s.listen(0, '${host}', () => console.log(s.address().port))`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const [data] = (await once(child.stdout, 'data')) as [Buffer];
  return { pid: child.pid ?? 0, port: Number(data) };
}

test.each(['127.0.0.1', '::1'])(
  'the port of another process on %s is found, with its address and holder',
  async (host) => {
    const { pid, port } = await startServer(host);
    expect(findListeningPorts([pid])).toEqual([{ pid, port, address: host }]);
    expect(findListeningPorts([process.pid]).map((each) => each.port)).not.toContain(port);
    expect(await acceptsConnections(port)).toBe(true);
  },
);

test('one list of sockets serves many calls, and does not contain later sockets', async () => {
  const first = await startServer('127.0.0.1');
  const sockets = readListeningSockets();
  const second = await startServer('127.0.0.1');
  expect(findListeningPorts([first.pid, second.pid], sockets).map(({ port }) => port)).toEqual([first.port]);
  expect(findListeningPorts([first.pid, second.pid])).toHaveLength(2);
});

test('a port that two processes share is reported once', async () => {
  const script = `
import os, socket, sys
s = socket.create_server(("127.0.0.1", 0))
pid = os.fork()
if pid: print(f"{s.getsockname()[1]} {pid}", flush=True)
sys.stdin.read()`;
  const child = spawn('python3', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.stdin.end();
    await once(child, 'close');
  });
  const [data] = (await once(child.stdout, 'data')) as [Buffer];
  const [port = 0, fork = 0] = String(data).split(' ').map(Number);
  const pid = child.pid ?? 0;
  expect(findListeningPorts([pid, fork])).toEqual([{ pid, port, address: '127.0.0.1' }]);
  expect(findListeningPorts([fork])).toEqual([{ pid: fork, port, address: '127.0.0.1' }]);
});

test('a port without a server, and one that cannot be, do not answer', async () => {
  const { server, port } = await listen('127.0.0.1');
  expect(await acceptsConnections(port)).toBe(true);
  await new Promise((resolve) => server.close(resolve));
  expect(await acceptsConnections(port)).toBe(false);
  expect(await acceptsConnections(0)).toBe(false);
  expect(await acceptsConnections(70_000)).toBe(false);
  expect(await acceptsConnections(Number.NaN)).toBe(false);
});

test('an address counts when it is the only one asked for', async () => {
  const { port } = await listen('127.0.0.1');
  expect(await acceptsConnections(port, { host: '127.0.0.1' })).toBe(true);
  expect(await acceptsConnections(port, { host: '::1' })).toBe(false);
});

/** A port on 127.0.0.1 whose queue is full: callers get no answer at all. */
async function startSilent(): Promise<number> {
  const script =
    'import socket, sys; s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(0); print(s.getsockname()[1], flush=True); sys.stdin.read()';
  const child = spawn('python3', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.stdin.end();
    await once(child, 'exit');
  });
  const [data] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(data);
  while (await acceptsConnections(port, { host: '127.0.0.1' })) {
    // Until it is full.
  }
  return port;
}

test('a full queue does not accept connections, and an abort does not wait for it', async () => {
  const port = await startSilent();
  expect(await acceptsConnections(port, { host: '127.0.0.1', limitMs: 1 })).toBe(false);
  const abort = new AbortController();
  const answer = acceptsConnections(port, { host: '127.0.0.1', limitMs: 1_000_000, signal: abort.signal });
  abort.abort();
  expect(await answer).toBe(false);
  expect(await acceptsConnections(port, { signal: abort.signal })).toBe(false);
});

test('one address that answers is enough, though the other is silent', async () => {
  const port = await startSilent();
  const server = createServer().listen(port, '::1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  expect(await acceptsConnections(port, { limitMs: 1_000_000 })).toBe(true);
});

test('a server that would keep the connection is left at once, and the signal too', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const { signal } = new AbortController();
  expect(await acceptsConnections(port, { limitMs: 1_000_000, signal })).toBe(true);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('nothing stays open after the answer', async () => {
  const { port } = await listen('127.0.0.1');
  const count = (): number => readdirSync('/proc/self/fd').length;
  await acceptsConnections(port, { host: '127.0.0.1' });
  const before = count();
  for (let time = 0; time < 50; time += 1) await acceptsConnections(time % 2 === 0 ? port : 1);
  await expect.poll(count, { timeout: 20_000 }).toBeLessThanOrEqual(before);
});
