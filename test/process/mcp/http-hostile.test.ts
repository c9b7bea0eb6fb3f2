import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect as connectSocket, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type HttpPeer, type Sending, useMcpHttp } from '../../helpers/mcp-http.ts';

const serve = useMcpHttp();

async function stillServes({ send }: HttpPeer): Promise<void> {
  const { status, text } = await send({});
  expect(status).toBe(200);
  expect(text).toContain('"serverInfo"');
}

test('who is not let in is told why, and nothing of what it sent is looked at', async () => {
  const peer = await serve();
  const { send, port } = peer;
  const cases: readonly (readonly [string, Sending, number])[] = [
    ['no token', { headers: { Authorization: undefined } }, 401],
    ['a wrong token', { headers: { Authorization: 'Bearer nonsense' } }, 401],
    ['no bearer', { headers: { Authorization: `Basic ${peer.token}` } }, 401],
    ['half of the token', { headers: { Authorization: `Bearer ${peer.token.slice(0, 20)}` } }, 401],
    [
      'a token in the address',
      { path: `/mcp?token=${peer.token}`, headers: { Authorization: undefined } },
      401,
    ],
    ['another host', { headers: { Host: 'evil.example' } }, 403],
    ['another host and our port', { headers: { Host: `evil.example:${port}` } }, 403],
    ['a host that only begins well', { headers: { Host: '127.0.0.1.evil.example' } }, 403],
    ['a host with a name before it', { headers: { Host: 'localhost@evil.example' } }, 403],
    ['a host with a path', { headers: { Host: 'localhost/evil.example' } }, 403],
    ['another origin', { headers: { Origin: 'https://evil.example' } }, 403],
    ['no origin to speak of', { headers: { Origin: 'null' } }, 403],
    ['an origin that only ends well', { headers: { Origin: 'http://evil-localhost' } }, 403],
    ['a file', { headers: { Origin: 'file://' } }, 403],
    ['another place', { path: '/' }, 404],
    ['a place that climbs', { path: '/mcp/../mcp2' }, 404],
    ['another method', { method: 'PUT' }, 405],
    ['a question before the request of a page', { method: 'OPTIONS' }, 405],
    ['a form', { headers: { 'Content-Type': 'text/plain' } }, 415],
    ['no JSON', { body: '{' }, 400],
    ['no session', { body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }, 400],
    [
      'a session that is none',
      { body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', headers: { 'Mcp-Session-Id': 'x' } },
      404,
    ],
  ];
  const answers = await Promise.all(
    cases.map(async ([name, sending]) => {
      const { status, headers } = await send(sending);
      return [name, status, headers['access-control-allow-origin']];
    }),
  );
  expect(answers).toEqual(cases.map(([name, , status]) => [name, status, undefined]));
  await stillServes(peer);
});

test('a head that is too long, two hosts, and a body that is only announced are turned away', async () => {
  const peer = await serve();
  const say = async (head: string): Promise<string> => {
    const socket = await dial(peer.port);
    socket.on('error', () => undefined).write(`POST /mcp HTTP/1.1\r\n${head}\r\n\r\n`);
    await expect.poll(() => socket.heard(), { timeout: 20_000 }).toMatch(/^HTTP\/1.1 \d+ /);
    socket.destroy();
    return socket.heard().slice(9, 12);
  };
  const known = `Host: 127.0.0.1\r\nAuthorization: Bearer ${peer.token}`;
  const many = Array.from({ length: 5_000 }, (_, n) => `X-${n}: ${'y'.repeat(100)}`).join('\r\n');
  expect(await say(`${known}\r\n${many}`)).toBe('431');
  expect(await say(`${known}\r\nX: ${'y'.repeat(100_000)}`)).toBe('431');
  expect(await say(`${known}\r\nHost: evil.example\r\nContent-Length: 0`)).toBe('400');
  const announced = 'Content-Type: application/json\r\nContent-Length: 10\r\nExpect: 100-continue';
  expect(await say(`Host: 127.0.0.1\r\n${announced}`)).toBe('401');
  expect(await say(`${known}\r\n${announced}`)).toBe('100');
  await stillServes(peer);
});

test('so many calls of a session and no more, however they come', async () => {
  const peer = await serve();
  const client = await peer.connect({ era: '2026-07-28' });
  execFileSync('mkfifo', [join(peer.root, 'gate')]);
  const call = (command: string) => client.callTool({ name: 'bash', arguments: { command } });
  const calls = Array.from({ length: 100 }, () => call('echo >>begun; : <gate'));
  const begun = (): number => readFileSync(join(peer.root, 'begun'), 'utf8').length;
  await expect.poll(begun, { timeout: 60_000 }).toBe(100);
  const refused = await call('true');
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: { id: 'too_many' } } });
  const gate = openSync(join(peer.root, 'gate'), 'r+');
  for (const each of await Promise.all(calls)) expect(each.isError).toBe(false);
  closeSync(gate);
  expect((await call('true')).isError).toBe(false);
}, 120_000);

test('of many sessions the one that was idle longest goes', async () => {
  const peer = await serve();
  const ids: string[] = [];
  for (let session = 0; session < 65; session += 1)
    ids.push(String((await peer.send({})).headers['mcp-session-id']));
  const list = (id = ''): Promise<number> =>
    peer
      .send({
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
        headers: { 'Mcp-Session-Id': id, 'MCP-Protocol-Version': '2025-11-25' },
      })
      .then(({ status }) => status);
  expect(await list(ids[0])).toBe(404);
  expect(await list(ids[1])).toBe(200);
  expect(await list(ids[64])).toBe(200);
});

test('pages of this machine, and its other names, are let in', async () => {
  const { send, port } = await serve();
  for (const headers of [
    { Host: `localhost:${port}` },
    { Host: '[::1]' },
    { Origin: 'http://localhost:5173' },
  ])
    expect((await send({ headers })).status).toBe(200);
});

test('a name that the settings allow is let in', async () => {
  const { send } = await serve({ env: { NACRE_MCP_HTTP_HOSTS: 'agents.example' } });
  expect((await send({ headers: { Host: 'agents.example' } })).status).toBe(200);
});

test('a huge body is refused before it is read, said or not', async () => {
  const peer = await serve();
  const { send, raw, token, port } = peer;
  const body = (bytes: number): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x', params: { x: 'y'.repeat(bytes) } });
  expect((await send({ body: body(5 * 1024 * 1024) })).status).toBe(413);
  const status = await new Promise((resolve, reject) => {
    const headers = {
      ...{ Host: `127.0.0.1:${port}`, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      'Transfer-Encoding': 'chunked',
    };
    const sent = raw({ method: 'POST', path: '/mcp', headers });
    sent.once('response', (answer) => resolve(answer.resume().statusCode));
    sent.once('error', reject);
    const more = (): void => {
      for (let piece = 0; piece < 100 && !sent.destroyed; piece += 1) sent.write('z'.repeat(65_536));
    };
    more();
  });
  expect(status).toBe(413);
  await stillServes(peer);
});

/** Speaks to the server byte by byte. */
function dial(port: number): Promise<Socket & { heard: () => string }> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket({ host: '127.0.0.1', port });
    let heard = '';
    socket.on('data', (chunk) => {
      heard += String(chunk);
    });
    socket.once('error', reject);
    socket.once('connect', () => resolve(Object.assign(socket, { heard: () => heard })));
  });
}

const ended = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });

test('whoever is slow to ask is hung up on, and nobody else waits for it', async () => {
  const peer = await serve();
  const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${peer.token}\r\nContent-Type: application/json\r\n`;
  const slow = await Promise.all(Array.from({ length: 20 }, () => dial(peer.port)));
  for (const socket of slow)
    socket.on('error', () => undefined).write('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ');
  const halfBody = await dial(peer.port);
  halfBody.on('error', () => undefined).write(`${head}Content-Length: 100\r\n\r\n{"jsonrpc"`);
  await stillServes(peer);
  await Promise.all(slow.map(ended));
  expect(slow.map((socket) => socket.heard().split('\r\n', 1)[0])).toEqual(
    slow.map(() => 'HTTP/1.1 408 Request Timeout'),
  );
  await ended(halfBody);
  expect(halfBody.heard()).toMatch(/^HTTP\/1.1 408/);
  await stillServes(peer);
}, 60_000);

test('half a request, rubbish and a client that goes away leave nothing behind', async () => {
  const peer = await serve();
  const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${peer.token}\r\nContent-Type: application/json\r\n`;
  for (const text of [
    `${head}Content-Length: 100\r\n\r\n{"jso`,
    'GARBAGE\r\n\r\n',
    '\x16\x03\x01\x02\x00',
    `${head}\r\n`,
  ]) {
    const socket = await dial(peer.port);
    socket.on('error', () => undefined);
    socket.write(text);
    socket.destroy();
    await ended(socket);
  }
  await stillServes(peer);
  const open = (): number =>
    readFileSync(`/proc/${peer.started.child.pid}/net/tcp`, 'latin1')
      .split('\n')
      .filter((line) => line.includes(`:${peer.port.toString(16).toUpperCase()} `) && / 01 /.test(line))
      .length;
  await expect.poll(open, { timeout: 20_000 }).toBe(0);
});

test('so many connections and no more; those who have one are served', async () => {
  const peer = await serve();
  const sockets = await Promise.all(Array.from({ length: 200 }, () => dial(peer.port).catch(() => null)));
  const dropped = async (): Promise<number> =>
    sockets.filter((socket) => socket === null || socket.destroyed).length;
  await expect.poll(dropped, { timeout: 20_000 }).toBeGreaterThanOrEqual(72);
  for (const socket of sockets) socket?.destroy();
  await expect
    .poll(
      () =>
        peer
          .send({})
          .then(({ status }) => status)
          .catch(() => 0),
      { timeout: 20_000 },
    )
    .toBe(200);
});
