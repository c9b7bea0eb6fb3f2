import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { connectMcp, ERAS, type McpOptions, type McpPeer } from '../../helpers/mcp-client.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const peers: McpPeer[] = [];

interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  readonly _meta?: Record<string, unknown>;
}

async function connect(more: Partial<McpOptions>) {
  const root = temporaryDirectory();
  const peer = await connectMcp({ root, ...more });
  peers.push(peer);
  const call = async (name: string, input: Record<string, unknown>): Promise<ToolResult> =>
    (await peer.client.callTool({ name, arguments: input })) as ToolResult;
  const tools = async () => (await peer.client.listTools()).tools;
  return { root, call, tools, bash: (command: string) => call('bash', { command }) };
}

afterEach(async () => {
  for (const { client } of peers.splice(0)) await client.close();
});

/** Checks that a result is one text and nothing else that a client could show, and returns the text. */
function onlyText({ content, structuredContent, _meta = {} }: ToolResult): string {
  expect(content.map(({ type }) => type)).toEqual(['text']);
  expect(structuredContent).toBeUndefined();
  expect(_meta).not.toHaveProperty('nacre/details');
  return content[0]?.text ?? '';
}

const LONG = 'seq 50000; echo "error: it broke"; seq 50000; exit 3';
const CLAUDE_META = { 'anthropic/alwaysLoad': true, 'anthropic/maxResultSizeChars': 500_000 };
const [{ era: handshake }, { era: stateless }] = ERAS;

test.each([
  { name: 'codex-mcp-client', era: handshake, maxBytes: 10_000, meta: undefined },
  { name: 'gemini-cli-mcp-client', era: handshake, maxBytes: 50 * 1024, meta: undefined },
  { name: 'claude-code', era: stateless, maxBytes: 50 * 1024, meta: CLAUDE_META },
])(
  'the client $name gets tools without an output schema, and results that are one text',
  async ({ name, era, maxBytes, meta }) => {
    const { call, tools, bash } = await connect({ name, era });
    for (const tool of await tools()) {
      expect(tool.outputSchema).toBeUndefined();
      expect(tool._meta).toEqual(meta);
    }
    const failed = await bash('echo out; exit 3');
    expect([onlyText(failed), failed.isError]).toEqual(['out\n\nCommand exited with code 3', false]);
    const listed = await call('job', { action: 'list' });
    expect([onlyText(listed), listed.isError]).toEqual(['(no jobs)', false]);
    const long = onlyText(await bash(LONG));
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(maxBytes + 300);
    expect(Buffer.byteLength(long)).toBeGreaterThan(maxBytes / 2);
    expect(long).toMatch(/artifact:\/\/\S+/);
    expect(long).toContain('50001: error: it broke');
    expect(long).toMatch(/Command exited with code 3$/);
    // `isError` is set only where nothing ran.
    const killed = await bash('kill -9 $$');
    expect([onlyText(killed), killed.isError]).toEqual([expect.stringContaining('SIGKILL'), false]);
    const invalid = await call('bash', { comand: 'true' });
    expect([onlyText(invalid), invalid.isError]).toEqual([
      expect.stringContaining("Did you mean 'command'?"),
      true,
    ]);
    const unknown = await call('job', { action: 'peek', id: 'none' });
    expect([onlyText(unknown), unknown.isError]).toEqual([expect.stringContaining('none'), true]);
  },
);

test('the end of a job is in the text', async () => {
  const { call, bash } = await connect({ name: 'codex-mcp-client' });
  const started = onlyText(await call('bash', { command: 'exit 4', async: true }));
  const [, id = ''] = /Background job (\S+) started/.exec(started) ?? [];
  expect(id).not.toBe('');
  await vi.waitFor(async () => expect(onlyText(await bash('true'))).toContain(`job ${id}, exit 4]`), {
    timeout: 30_000,
  });
});

test.each(ERAS)('an approval question reaches a known client, revision $era', async ({ era }) => {
  const { root, bash } = await connect({
    ...{ name: 'codex-mcp-client', era },
    env: { NACRE_POLICY_APPROVALS_RULES: '[{"action":"ask","prefix":["touch"]}]' },
    client: { capabilities: { elicitation: {} } },
    prepare: (client) =>
      client.setRequestHandler('elicitation/create', async () => ({
        action: 'accept',
        content: { answer: 'once' },
      })),
  });
  const result = await bash('touch made');
  expect([onlyText(result), result.isError]).toEqual(['(no output)', false]);
  expect(existsSync(join(root, 'made'))).toBe(true);
});

test.each([
  { name: 'somebody', env: {} },
  { name: 'claude-code', env: { NACRE_MCP_CLIENT: 'other' } },
])('the client $name with $env keeps isError and structured content', async ({ name, env }) => {
  const { tools, bash } = await connect({ name, env });
  for (const tool of await tools()) {
    expect(tool.outputSchema).toBeDefined();
    expect(tool._meta).toBeUndefined();
  }
  const { content, structuredContent, isError, _meta } = await bash(LONG);
  expect(isError).toBe(true);
  expect(structuredContent).toMatchObject({ status: 'exited', exitCode: 3 });
  expect(content.map(({ type }) => type)).toEqual(['text', 'resource_link']);
  expect(Buffer.byteLength(content[0]?.text ?? '')).toBeGreaterThan(25 * 1024);
  expect(_meta).toHaveProperty('nacre/details');
});

test('mcp.client and --output-max-bytes override what is known about a client', async () => {
  const { tools, bash } = await connect({
    name: 'somebody',
    env: { NACRE_MCP_CLIENT: 'codex' },
    args: ['--output-max-bytes', '2KiB'],
  });
  expect((await tools())[0]?.outputSchema).toBeUndefined();
  expect(Buffer.byteLength(onlyText(await bash(LONG)))).toBeLessThanOrEqual(2048 + 300);
});
