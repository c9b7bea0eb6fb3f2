import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, describe, test } from 'vitest';
import { type CallResult, createBash, type ProfileName } from '../../src/index.ts';
import { createRpcClient, type RpcClient } from '../../src/surfaces/rpc/client/rpc-client.ts';
import { READY_SHELLS, waitForReady } from '../helpers/ready.ts';
import { removeDirectory } from '../helpers/remove-directory.ts';

/** What every door takes. */
export interface DoorCall {
  readonly command: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeout?: number;
  readonly head?: number;
  readonly tail?: number;
  readonly async?: boolean;
}

/** A way in, opened. */
export interface Door {
  /** The directory relative paths are taken against. */
  readonly place: string;
  readonly stateDirectory: string;
  call(input: DoorCall): Promise<CallResult>;
  /** What is said of a job: how it is read, and how it is ended for certain. */
  job(action: 'peek' | 'kill', id: string): Promise<string>;
}

const jobInput = (action: 'peek' | 'kill', id: string): Record<string, unknown> =>
  action === 'kill' ? { action, id, escalate: true } : { action, id };

export interface OpenOptions {
  readonly profile?: ProfileName;
  /** Over this process's own environment. */
  readonly inherited?: Readonly<Record<string, string>>;
}

export type Open = (options?: OpenOptions) => Door;

const BIN = join(import.meta.dirname, '../../bin/nacre.cjs');

/** Everything that a test opens lives in one directory, and goes with it. */
function makePlace(): { place: string; stateDirectory: string } {
  const place = mkdtempSync(join(tmpdir(), 'nacre-door-'));
  afterAll(() => removeDirectory(place));
  return { place, stateDirectory: join(place, '.state/nacre') };
}

function openLibrary({ profile = 'agent', inherited = {} }: OpenOptions = {}): Door {
  const { place, stateDirectory } = makePlace();
  const bash = createBash({
    cwd: place,
    stateDirectory,
    profile,
    inheritedEnv: { ...process.env, ...inherited },
    ...(READY_SHELLS === undefined ? {} : { readyShells: READY_SHELLS }),
  });
  afterAll(() => bash.close());
  return {
    place,
    stateDirectory,
    call: async (input) => {
      await waitForReady(stateDirectory);
      return bash.call(profile === 'agent' ? input : { command: input.command });
    },
    job: async (action, id) => (await bash.job(jobInput(action, id))).content[0]?.text ?? '',
  };
}

function openCommandLine({ profile = 'agent', inherited = {} }: OpenOptions = {}): Door {
  const { place, stateDirectory } = makePlace();
  const env = {
    ...process.env,
    XDG_STATE_HOME: join(place, '.state'),
    XDG_CONFIG_HOME: join(place, '.config'),
    ...inherited,
  };
  const run = (args: readonly string[]): Promise<string> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [BIN, ...args], {
        cwd: place,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const texts = { stdout: '', stderr: '' };
      child.stdout.on('data', (data) => {
        texts.stdout += String(data);
      });
      child.stderr.on('data', (data) => {
        texts.stderr += String(data);
      });
      child.on('close', () => resolve(texts.stdout === '' ? texts.stderr : texts.stdout));
    });
  const call = async (input: DoorCall): Promise<CallResult> => {
    const printed = await run(toArguments(input, profile));
    try {
      return JSON.parse(printed) as CallResult;
    } catch {
      throw new Error(`no result: ${printed}`);
    }
  };
  const job = (action: 'peek' | 'kill', id: string): Promise<string> =>
    run(['jobs', action, id, ...(action === 'kill' ? ['--escalate'] : [])]);
  return { place, stateDirectory, call, job };
}

function toArguments(input: DoorCall, profile: ProfileName): string[] {
  const flags = (['cwd', 'timeout', 'head', 'tail'] as const).flatMap((name) =>
    input[name] === undefined ? [] : [`--${name}`, String(input[name])],
  );
  const env = Object.entries(input.env ?? {}).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const started = input.async === true ? ['--async'] : [];
  return ['run', '--json', '--profile', profile, ...flags, ...env, ...started, '--', input.command];
}

/** What a server is told of a test's place: as the command line, and in it. */
function serverOf({ profile = 'agent', inherited = {} }: OpenOptions): Door & ServerPlace {
  const { place, stateDirectory } = makePlace();
  const env = {
    ...(process.env as Record<string, string>),
    XDG_STATE_HOME: join(place, '.state'),
    XDG_CONFIG_HOME: join(place, '.config'),
    ...inherited,
  };
  return {
    place,
    stateDirectory,
    env,
    args: ['--profile', profile],
    call: () => Promise.reject(),
    job: () => Promise.reject(),
  };
}

interface ServerPlace {
  readonly env: Record<string, string>;
  readonly args: readonly string[];
}

/** A server is started by the first call, and goes with the test file. */
function openRpc(options: OpenOptions = {}): Door {
  const { place: cwd, env, args, ...door } = serverOf(options);
  let client: RpcClient | undefined;
  afterAll(() => client?.close());
  return {
    ...door,
    place: cwd,
    call: (input) => {
      client ??= createRpcClient({ cwd, env, args });
      return client.bash({ ...input });
    },
    job: async (action, id) => (await client?.job(jobInput(action, id)))?.content[0]?.text ?? '',
  };
}

function openMcp(options: OpenOptions = {}): Door {
  const { place: cwd, env, args, ...door } = serverOf(options);
  let connected: Promise<Client> | undefined;
  const connect = async (): Promise<Client> => {
    const command = { command: process.execPath, args: [BIN, 'mcp', ...args], env, cwd };
    const client = new Client({ name: 'conformance', version: '1' });
    await client.connect(new StdioClientTransport(command));
    return client;
  };
  afterAll(async () => (await connected)?.close());
  const call = async (input: DoorCall): Promise<CallResult> => {
    connected ??= connect();
    return fromToolResult(await (await connected).callTool({ name: 'bash', arguments: { ...input } }));
  };
  const job = async (action: 'peek' | 'kill', id: string): Promise<string> => {
    const result = await (await connected)?.callTool({ name: 'job', arguments: jobInput(action, id) });
    const [content] = result?.content ?? [];
    return content?.type === 'text' ? content.text : '';
  };
  return { ...door, place: cwd, call, job };
}

/** Every part of a result is somewhere in what MCP gives back. */
function fromToolResult(result: Awaited<ReturnType<Client['callTool']>>): CallResult {
  const { error, ...run } = result.structuredContent as CallResult['run'] & Pick<CallResult, 'error'>;
  return {
    content: result.content.flatMap((each) =>
      each.type === 'text' ? [{ type: 'text', text: each.text }] : [],
    ),
    isError: result.isError === true,
    details: result._meta?.['nacre/details'] as CallResult['details'],
    run,
    ...(error === undefined ? {} : { error }),
  };
}

const DOORS: readonly { name: string; open: Open }[] = [
  { name: 'library', open: openLibrary },
  { name: 'command line', open: openCommandLine },
  { name: 'RPC', open: openRpc },
  { name: 'MCP', open: openMcp },
];

/** Registers the proof of one promise of the contract, once for each door. */
export function proves(id: string, promise: string, body: (open: Open) => Promise<void>): void {
  describe.each(DOORS)(`${id} through the $name`, ({ open }) => {
    test(promise, () => body(open));
  });
}
