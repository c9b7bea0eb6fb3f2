import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, describe, test } from 'vitest';
import { type CallResult, createBash, type ProfileName } from '../../src/index.ts';
import { loadSettings, toBashOptions } from '../../src/surfaces/config/settings.ts';
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
  readonly wait?: number;
  readonly raw?: boolean;
  readonly pty?: boolean;
  readonly stdin?: string | { readonly open: true };
  readonly service?: { readonly name: string; readonly ready?: { readonly log: string } };
}

export interface JobCall {
  readonly action: 'peek' | 'kill' | 'wait' | 'send';
  readonly id: string;
  /** `send`: a line of text. */
  readonly text?: string;
}

/** A way in, opened. */
export interface Door {
  /** The directory relative paths are taken against. */
  readonly place: string;
  readonly stateDirectory: string;
  call(input: DoorCall): Promise<CallResult>;
  /** What is said of a job. A kill ends it for certain. */
  job(input: JobCall): Promise<string>;
  /** Lines of an artifact, the last one included. */
  lines(artifact: string, range: { readonly from: number; readonly to: number }): Promise<string>;
  /** Whoever came in goes away again; what goes on without it goes on. */
  leave(): Promise<void>;
}

/** As the job tool takes it. */
function toJobInput({ action, id, text }: JobCall): Record<string, unknown> {
  return {
    action,
    id,
    ...(action === 'kill' ? { escalate: true } : {}),
    ...(text === undefined ? {} : { text: `${text}\n` }),
  };
}

export interface OpenOptions {
  readonly profile?: ProfileName;
  /** Over this process's own environment; settings, too, are given by their variables. */
  readonly inherited?: Readonly<Record<string, string>>;
  /** Where another door is open already; both see the same runs on disk. */
  readonly beside?: Door;
  readonly session?: string;
}

export type Open = (options?: OpenOptions) => Door;

const BIN = join(import.meta.dirname, '../../bin/nacre.cjs');

/** Everything that a test opens lives in one directory, and goes with it. */
function makePlace({ beside }: OpenOptions): { place: string; stateDirectory: string } {
  if (beside !== undefined) return beside;
  const place = mkdtempSync(join(tmpdir(), 'nacre-door-'));
  afterAll(() => removeDirectory(place));
  return { place, stateDirectory: join(place, '.state/nacre') };
}

function openLibrary(options: OpenOptions = {}): Door {
  const { profile = 'agent', inherited = {}, session } = options;
  const { place, stateDirectory } = makePlace(options);
  const env = { ...inherited, XDG_CONFIG_HOME: join(place, '.config') };
  const bash = createBash({
    ...toBashOptions(loadSettings({ cwd: place, env })),
    cwd: place,
    stateDirectory,
    profile,
    ...(session === undefined ? {} : { session }),
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
    job: async (input) => (await bash.job(toJobInput(input))).content[0]?.text ?? '',
    lines: async (artifact, range) => (await bash.artifacts.open(artifact).lines(range)).text,
    leave: () => bash.close(),
  };
}

function openCommandLine(options: OpenOptions = {}): Door {
  const { place, stateDirectory, env } = serverOf(options);
  const run = (args: readonly string[], input?: string): Promise<Record<'stdout' | 'stderr', string>> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [BIN, ...args], { cwd: place, env });
      child.stdin.end(input);
      const texts = { stdout: '', stderr: '' };
      child.stdout.on('data', (data) => {
        texts.stdout += String(data);
      });
      child.stderr.on('data', (data) => {
        texts.stderr += String(data);
      });
      child.on('close', () => resolve(texts));
    });
  const call = async (input: DoorCall): Promise<CallResult> => {
    const { stdin } = input;
    const { stdout, stderr } = await run(
      toArguments(input, options),
      typeof stdin === 'string' ? stdin : undefined,
    );
    try {
      return JSON.parse(stdout || stderr) as CallResult;
    } catch {
      throw new Error(`no result: ${stdout}${stderr}`);
    }
  };
  const job = async ({ action, id, text }: JobCall): Promise<string> => {
    const more = [...(action === 'kill' ? ['--escalate'] : []), ...(text === undefined ? [] : [text])];
    const { stdout, stderr } = await run(['jobs', action, id, ...more]);
    return `${stderr}${stdout}`;
  };
  const lines: Door['lines'] = async (artifact, { from, to }) =>
    (await run(['artifacts', 'show', artifact, '--lines', `${from}-${to}`])).stdout;
  return { place, stateDirectory, call, job, lines, leave: async () => undefined };
}

function toArguments(input: DoorCall, { profile = 'agent', session }: OpenOptions): string[] {
  const flags = (['cwd', 'timeout', 'head', 'tail'] as const).flatMap((name) =>
    input[name] === undefined ? [] : [`--${name}`, String(input[name])],
  );
  const env = Object.entries(input.env ?? {}).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const { service } = input;
  const started = [
    ...(input.async === true ? ['--async'] : []),
    ...(input.raw === true ? ['--raw'] : []),
    ...(typeof input.stdin === 'object' ? ['--open-input'] : []),
    ...(service === undefined ? [] : ['--service', service.name]),
    ...(service?.ready === undefined ? [] : ['--ready', service.ready.log]),
    ...(session === undefined ? [] : ['--session', session]),
  ];
  return ['run', '--json', '--profile', profile, ...flags, ...env, ...started, '--', input.command];
}

/** What a program is told of a test's place. */
function serverOf(options: OpenOptions): Pick<Door, 'place' | 'stateDirectory'> & ServerPlace {
  const { profile = 'agent', inherited = {}, session } = options;
  const { place, stateDirectory } = makePlace(options);
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
    args: ['--profile', profile, ...(session === undefined ? [] : ['--session', session])],
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
    job: async (input) => (await client?.job(toJobInput(input)))?.content[0]?.text ?? '',
    lines: async (artifact, lines) => {
      const read = await client?.readArtifact({ artifact, lines });
      return read !== undefined && 'text' in read ? read.text : '';
    },
    leave: async () => client?.close(),
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
  const job = async (input: JobCall): Promise<string> => {
    const result = await (await connected)?.callTool({ name: 'job', arguments: toJobInput(input) });
    const [content] = result?.content ?? [];
    return content?.type === 'text' ? content.text : '';
  };
  const lines: Door['lines'] = async (artifact, { from, to }) => {
    const read = await (await connected)?.readResource({ uri: `${artifact}?lines=${from}-${to}` });
    const [content] = read?.contents ?? [];
    return content !== undefined && 'text' in content ? content.text : '';
  };
  return { ...door, place: cwd, call, job, lines, leave: async () => (await connected)?.close() };
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
  prove(DOORS, { id, promise, body });
}

/** The same for what is promised to models alone: a person who runs a command waits for it, and has a terminal already. */
export function provesToModels(id: string, promise: string, body: (open: Open) => Promise<void>): void {
  const doors = DOORS.filter(({ name }) => name !== 'command line');
  prove(doors, { id, promise, body });
}

interface Proof {
  readonly id: string;
  readonly promise: string;
  readonly body: (open: Open) => Promise<void>;
}

function prove(doors: typeof DOORS, { id, promise, body }: Proof): void {
  describe.each(doors)(`${id} through the $name`, ({ open }) => {
    test(promise, () => body(open));
  });
}
