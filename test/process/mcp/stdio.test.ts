import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { isAlive } from '../../helpers/is-alive.ts';
import { connectMcp, ERAS, type McpOptions, type McpPeer } from '../../helpers/mcp-client.ts';
import { nacreEnv, runNacre } from '../../helpers/nacre-cli.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const peers: McpPeer[] = [];

async function connect(more: Partial<McpOptions> = {}): Promise<McpPeer & { root: string }> {
  const root = more.root ?? temporaryDirectory();
  const peer = await connectMcp({ root, ...more });
  peers.push(peer);
  return { ...peer, root };
}

afterEach(async () => {
  for (const { client } of peers.splice(0)) await client.close();
});

const pidIn = (file: string): number => Number(readFileSync(file, 'utf8'));
const textOf = (result: unknown): string =>
  (result as { content: { text?: string }[] }).content.map(({ text = '' }) => text).join('\n');
const structureOf = (result: unknown): Record<string, unknown> =>
  (result as { structuredContent: Record<string, unknown> }).structuredContent;

describe.each(ERAS)('nacre mcp on stdio, revision $era', ({ era }) => {
  test('text and structure are each complete', async () => {
    const { client } = await connect({ era });
    const result = await client.callTool({ name: 'bash', arguments: { command: 'echo out; exit 3' } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe('out\n\nCommand exited with code 3');
    expect(structureOf(result)).toMatchObject({ status: 'exited', exitCode: 3, output: { text: 'out\n' } });
  });

  test('output that is cut says so in the text and in the structure, and is linked', async () => {
    const { client } = await connect({ era });
    await client.listTools();
    const result = await client.callTool({ name: 'bash', arguments: { command: 'seq 100000' } });
    const { artifact, output } = structureOf(result) as { artifact: string; output: { text: string } };
    for (const text of [textOf(result), output.text]) {
      expect(text).toContain('100000');
      expect(text).toContain(artifact);
    }
    expect(result.content).toContainEqual(expect.objectContaining({ type: 'resource_link', uri: artifact }));
  });

  test.each(['agent', 'modes', 'simple'])(
    'the profile %s has its schema, and results that fit it',
    async (profile) => {
      const { client } = await connect({ era, args: ['--profile', profile] });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(profile === 'simple' ? ['bash'] : ['bash', 'job']);
      for (const tool of tools) expect(tool.annotations).toMatchObject({ readOnlyHint: false });
      // The client checks the structure against the schema it listed.
      for (const command of ['true', 'exit 1', 'kill -9 $$', 'sleep 1000 & echo left', ' ']) {
        const result = await client.callTool({ name: 'bash', arguments: { command } });
        const { job } = structureOf(result) as { job?: { pgid: number } };
        if (job !== undefined) process.kill(-job.pgid, 'SIGKILL');
        expect(textOf(result)).not.toBe('');
      }
    },
  );

  test('bad input is a tool error that names the field, and nothing runs', async () => {
    const { client } = await connect({ era });
    const result = await client.callTool({ name: 'bash', arguments: { comand: 'true' } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("Did you mean 'command'?");
    expect(structureOf(result)).toMatchObject({ status: 'refused', error: { id: 'bad_input' } });
    await expect(client.callTool({ name: 'sh', arguments: {} })).rejects.toThrow('Unknown tool "sh"');
  });

  test('progress carries the end of the output', async () => {
    const { client, root } = await connect({ era });
    const messages: string[] = [];
    const numbers: number[] = [];
    await client.callTool(
      {
        name: 'bash',
        arguments: { command: `echo one; until [ -e ${root}/go ]; do sleep 0.01; done; echo two` },
      },
      {
        onprogress: ({ message = '', progress }) => {
          messages.push(message);
          numbers.push(progress);
          if (message.includes('one')) mkdirSync(join(root, 'go'), { recursive: true });
        },
      },
    );
    expect(messages[0]).toBe('one\n');
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });

  test('a call that is cancelled ends with its whole tree', async () => {
    const { client, root } = await connect({ era });
    const abort = new AbortController();
    const command = `trap '' TERM; setsid bash -c 'echo $$ >${root}/pid; exec sleep 1000' & wait`;
    const call = client.callTool({ name: 'bash', arguments: { command } }, { signal: abort.signal });
    const rejected = expect(call).rejects.toThrow();
    await vi.waitFor(() => expect(pidIn(join(root, 'pid'))).toBeGreaterThan(0), { timeout: 20_000 });
    abort.abort();
    await rejected;
    await vi.waitFor(() => expect(isAlive(pidIn(join(root, 'pid')))).toBe(false), { timeout: 20_000 });
  });

  test('a call goes on as a job before the client gives up, and so does a wait', async () => {
    const { client } = await connect({ era, args: ['--call-limit', '2'] });
    const { tools } = await client.listTools();
    expect(tools[0]?.description).toContain('A call waits 1 second');
    const result = await client.callTool({
      name: 'bash',
      arguments: { command: 'echo begun; sleep 1000', wait: 600 },
    });
    const { status, job } = structureOf(result) as { status: string; job: { id: string } };
    expect([status, result.isError]).toEqual(['running', false]);
    expect(textOf(result)).toContain('begun');
    const waited = await client.callTool({
      name: 'job',
      arguments: { action: 'wait', id: job.id, seconds: 600 },
    });
    expect(structureOf(waited)).toMatchObject({ why: 'aborted', jobs: [{ id: job.id, state: 'running' }] });
    await client.callTool({ name: 'job', arguments: { action: 'kill', id: job.id, escalate: true } });
  });

  test('the end of a job is told with the next result, once', async () => {
    const { client } = await connect({ era });
    const call = (command: string, more: object = {}) =>
      client.callTool({ name: 'bash', arguments: { command, ...more } });
    const started = structureOf(await call('exit 4', { async: true })) as { job: { id: string } };
    await vi.waitFor(
      async () => {
        const next = await call('true');
        expect(structureOf(next).notes).toEqual([
          expect.stringMatching(`^failed \\(exit code 4\\) after .*: job ${started.job.id}, exit 4$`),
        ]);
        expect(textOf(next)).toContain(`job ${started.job.id}`);
      },
      { timeout: 20_000 },
    );
    expect(structureOf(await call('true')).notes).toEqual([]);
  });
});

test('when stdin ends the server ends, foreground runs with it, and jobs go on', async () => {
  const { client, root, pid } = await connect();
  const call = (input: object) => client.callTool({ name: 'bash', arguments: { ...input } });
  const { job } = structureOf(await call({ command: 'sleep 1000', async: true })) as {
    job: { pid: number; pgid: number };
  };
  void call({ command: `echo $$ >${root}/pid; exec sleep 1000` }).catch(() => undefined);
  await vi.waitFor(() => expect(pidIn(join(root, 'pid'))).toBeGreaterThan(0), { timeout: 20_000 });
  await client.close();
  await vi.waitFor(() => expect([isAlive(pid), isAlive(pidIn(join(root, 'pid')))]).toEqual([false, false]), {
    timeout: 20_000,
  });
  expect(isAlive(job.pid)).toBe(true);
  process.kill(-job.pgid, 'SIGKILL');
});

test('sessions are apart unless they have one name, and a job is found again under it', async () => {
  const root = temporaryDirectory();
  const first = await connect({ root, args: ['--session', 'mine'] });
  const started = await first.client.callTool({
    name: 'bash',
    arguments: { command: 'sleep 1000', async: true },
  });
  const { job } = structureOf(started) as { job: { id: string; pgid: number } };
  await first.client.close();
  const again = await connect({ root, args: ['--session', 'mine'] });
  const other = await connect({ root });
  const list = async ({ client }: McpPeer) =>
    structureOf(await client.callTool({ name: 'job', arguments: { action: 'list' } })).jobs;
  expect(await list(again)).toMatchObject([{ id: job.id, state: 'running' }]);
  expect(await list(other)).toEqual([]);
  process.kill(-job.pgid, 'SIGKILL');
});

test('known clients are given the time they wait; of others the least is expected', async () => {
  const waits = async (name: string): Promise<string> => {
    const { client } = await connect({ name });
    return /A call waits [^,]*/.exec((await client.listTools()).tools[0]?.description ?? '')?.[0] ?? '';
  };
  expect(await waits('codex-mcp-client')).toBe('A call waits 60 seconds for its command');
  expect(await waits('somebody')).toBe('A call waits 50 seconds for its command');
});

test('the settings are read, and what is wrong is said before anything is served', async () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, 'x'));
  const { client } = await connect({
    root,
    env: { NACRE_PROFILE: 'modes' },
    args: ['--cwd', join(root, 'x')],
  });
  expect((await client.listTools()).tools[0]?.description).toContain(`<pwd>${join(root, 'x')}</pwd>`);
  const wrong = { env: nacreEnv(root, { NACRE_MCP_CALL_LIMIT_MS: 'soon' }), input: '' };
  const { status, stdout, stderr } = await runNacre(['mcp'], wrong);
  expect([status, stdout]).toEqual([125, '']);
  expect(stderr).toContain('NACRE_MCP_CALL_LIMIT_MS must be a number of milliseconds from 0');
  expect(await runNacre(['mcp', 'now'], { env: nacreEnv(root), input: '' })).toMatchObject({ status: 2 });
});
