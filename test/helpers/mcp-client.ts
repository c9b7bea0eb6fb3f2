import { join } from 'node:path';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { nacreEnv } from './nacre-cli.ts';

const BIN = join(import.meta.dirname, '../../bin/nacre.cjs');

/** The two ways of speaking the protocol: with a handshake, and without. */
export const ERAS = [{ era: '2025-11-25' }, { era: '2026-07-28' }] as const;
export type Era = (typeof ERAS)[number]['era'];

export interface McpOptions {
  readonly root: string;
  readonly era?: Era;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly client?: ClientOptions;
  /** Before it connects. */
  readonly prepare?: (client: Client) => void;
}

export interface McpPeer {
  readonly client: Client;
  readonly pid: number;
  readonly stderr: () => string;
}

/** Starts `nacre mcp` and connects a client of the protocol's own making. */
export async function connectMcp(options: McpOptions): Promise<McpPeer> {
  const {
    root,
    era = '2025-11-25',
    args = [],
    env = {},
    name = 'test',
    client: more = {},
    prepare,
  } = options;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp', ...args],
    env: nacreEnv(root, env) as Record<string, string>,
    cwd: root,
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (chunk) => {
    said += String(chunk);
  });
  const mode = era === '2026-07-28' ? { pin: era } : 'legacy';
  const client = new Client({ name, version: '1' }, { ...more, versionNegotiation: { mode } });
  prepare?.(client);
  await client.connect(transport);
  return { client, pid: transport.pid ?? 0, stderr: () => said };
}
