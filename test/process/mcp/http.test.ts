import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { isAlive } from '../../helpers/is-alive.ts';
import { ERAS } from '../../helpers/mcp-client.ts';
import { useMcpHttp } from '../../helpers/mcp-http.ts';
import { nacreEnv, runNacre } from '../../helpers/nacre-cli.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const serve = useMcpHttp();

type Structure = Record<string, unknown> & { job?: { id: string; pid: number; pgid: number } };
const structureOf = (result: unknown): Structure =>
  (result as { structuredContent: Structure }).structuredContent;

describe.each(ERAS)('nacre mcp --http, revision $era', ({ era }) => {
  test('calls, progress and errors are as on stdin and stdout', async () => {
    const client = await (await serve()).connect({ era });
    const messages: string[] = [];
    const result = await client.callTool(
      { name: 'bash', arguments: { command: 'echo out; sleep 0.1; exit 3' } },
      { onprogress: ({ message = '' }) => messages.push(message) },
    );
    expect(structureOf(result)).toMatchObject({ status: 'exited', exitCode: 3, output: { text: 'out\n' } });
    expect(messages).toContain('out\n');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['bash', 'job']);
  });

  test('a call that is cancelled, and a client that vanishes in the middle of one, end the tree', async () => {
    const { connect, root } = await serve();
    const pid = (name: string): number => Number(readFileSync(join(root, name), 'utf8'));
    const command = (name: string): string =>
      `trap '' TERM; setsid bash -c 'echo $$ >${root}/${name}; exec sleep 1000' & wait`;
    const client = await connect({ era });
    const abort = new AbortController();
    const call = client.callTool(
      { name: 'bash', arguments: { command: command('a') } },
      { signal: abort.signal },
    );
    const other = await connect({ era });
    const vanishing = other.callTool({ name: 'bash', arguments: { command: command('b') } });
    const ends = [expect(call).rejects.toThrow(), expect(vanishing).rejects.toThrow()];
    await vi.waitFor(() => expect(Math.min(pid('a'), pid('b'))).toBeGreaterThan(0), { timeout: 20_000 });
    abort.abort();
    await other.close();
    await Promise.all(ends);
    await vi.waitFor(() => expect([isAlive(pid('a')), isAlive(pid('b'))]).toEqual([false, false]), {
      timeout: 20_000,
    });
  });

  test('a question reaches the person', async () => {
    const { connect } = await serve({
      env: { NACRE_POLICY_APPROVALS_RULES: '[{"action":"ask","prefix":["touch"]}]' },
    });
    const client = await connect({
      era,
      client: { capabilities: { elicitation: {} } },
      prepare: (each) =>
        each.setRequestHandler('elicitation/create', async () => ({
          action: 'accept',
          content: { answer: 'once' },
        })),
    });
    const result = await client.callTool({ name: 'bash', arguments: { command: 'touch made && echo done' } });
    expect(structureOf(result)).toMatchObject({ exitCode: 0, output: { text: 'done\n' } });
  });

  test('what a client subscribed to is told', async () => {
    const { connect } = await serve();
    const updated: string[] = [];
    const client = await connect({
      era,
      prepare: (each) =>
        each.setNotificationHandler(
          'notifications/resources/updated',
          ({ params }) => void updated.push(params.uri),
        ),
    });
    const { job } = structureOf(
      await client.callTool({ name: 'bash', arguments: { command: 'exec sleep 1000', async: true } }),
    );
    const uri = `job://${job?.id}`;
    if (era === '2026-07-28') await client.listen({ resourceSubscriptions: [uri] });
    else await client.subscribeResource({ uri });
    process.kill(Number(job?.pid), 'SIGKILL');
    await expect.poll(() => updated, { timeout: 20_000 }).toContain(uri);
  });

  test('sessions are apart', async () => {
    const { connect } = await serve();
    const headers = (name: string) => (era === '2026-07-28' ? { headers: { 'Nacre-Session': name } } : {});
    const one = await connect({ era, ...headers('one') });
    const two = await connect({ era, ...headers('two') });
    const { artifact } = structureOf(
      await one.callTool({ name: 'bash', arguments: { command: 'echo mine' } }),
    );
    expect((await one.listResources()).resources).toHaveLength(1);
    expect((await two.listResources()).resources).toEqual([]);
    await expect(two.readResource({ uri: String(artifact) })).rejects.toThrow();
  });
});

test('a session that is ended is over, and its jobs go on', async () => {
  const { connect } = await serve();
  const client = await connect({ era: '2025-11-25' });
  const { job } = structureOf(
    await client.callTool({ name: 'bash', arguments: { command: 'exec sleep 1000', async: true } }),
  );
  const transport = client.transport as unknown as { sessionId: string; terminateSession(): Promise<void> };
  await transport.terminateSession();
  await expect(client.callTool({ name: 'bash', arguments: { command: 'true' } })).rejects.toThrow();
  expect(isAlive(Number(job?.pid))).toBe(true);
  process.kill(-Number(job?.pgid), 'SIGKILL');
});

test('a session that nobody uses is over after a while; one with a call under way is in use', async () => {
  const { send, root } = await serve({ env: { NACRE_MCP_HTTP_IDLE_MS: '1000' } });
  const open = async (): Promise<string> => String((await send({})).headers['mcp-session-id']);
  const ask = (id: string, method: string, params: object = {}) =>
    send({
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      headers: { 'Mcp-Session-Id': id, 'MCP-Protocol-Version': '2025-11-25' },
    });
  const [busy, idle] = [await open(), await open()];
  const command = 'until [ -e go ]; do sleep 0.05; done; echo went';
  const long = ask(busy, 'tools/call', { name: 'bash', arguments: { command } });
  await expect
    .poll(async () => (await ask(idle, 'tools/list')).status, { timeout: 40_000, interval: 4_000 })
    .toBe(404);
  writeFileSync(join(root, 'go'), '');
  expect((await long).text).toContain('went\\n');
});

test('the token is in a file of its own, for its owner only, and stays the same', async () => {
  const { root, token } = await serve();
  const file = join(root, 'state/nacre/mcp-token');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(token).toMatch(/^[\w-]{43}$/);
  const again = await serve({ args: ['--token-file', file] });
  expect(again.token).toBe(token);
  expect((await again.send({})).status).toBe(200);
});

test('TERM ends the server, and foreground runs with it', async () => {
  const { connect, root, started } = await serve();
  const client = await connect({ era: '2026-07-28' });
  void client
    .callTool({ name: 'bash', arguments: { command: 'echo $$ >pid; exec sleep 1000' } })
    .catch(() => undefined);
  const pid = (): number => Number(readFileSync(join(root, 'pid'), 'utf8'));
  await vi.waitFor(() => expect(pid()).toBeGreaterThan(0), { timeout: 20_000 });
  started.child.kill('SIGTERM');
  expect((await started.finished).status).toBe(143);
  expect(isAlive(pid())).toBe(false);
});

test('what cannot be served is said', async () => {
  const { port } = await serve();
  const root = temporaryDirectory();
  const run = (...args: string[]) => runNacre(['mcp', ...args], { env: nacreEnv(root), input: '' });
  expect(await run('--http', '--port', String(port))).toMatchObject({
    status: 125,
    stderr: expect.stringContaining(`Nothing can be served on 127.0.0.1:${port}: the port is in use`),
  });
  expect(await run('--port', '1')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--port needs --http'),
  });
  expect(await run('--http', '--token-file', '/dev/null')).toMatchObject({
    status: 125,
    stderr: expect.stringContaining('The token file /dev/null cannot be used: it is not a file'),
  });
});
