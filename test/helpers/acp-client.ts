import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { onTestFinished } from 'vitest';
import { nacreEnv } from './nacre-cli.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export interface EditorOptions {
  readonly terminals?: boolean;
  /** Which option is chosen when the agent asks; `null`: nobody answers. */
  readonly answer?: string | null;
  readonly settings?: Readonly<Record<string, string>>;
}

interface Terminal {
  readonly child: ChildProcess;
  readonly exited: Promise<acp.WaitForTerminalExitResponse>;
  exit: acp.WaitForTerminalExitResponse | null;
  output: string;
}

const BIN = join(import.meta.dirname, '../../bin/nacre.cjs');

/** An editor: the SDK's own client, with real terminals as far as pipes are ones, talking to `nacre acp`. */
export async function openEditor({ terminals: has = true, answer = 'once', settings }: EditorOptions = {}) {
  const directory = temporaryDirectory();
  const env = nacreEnv(directory, settings);
  const agent = spawn(process.execPath, [BIN, 'acp'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise<number | null>((resolve) => agent.on('exit', resolve));
  const updates: acp.SessionUpdate[] = [];
  const questions: acp.RequestPermissionRequest[] = [];
  const terminals = new Map<string, Terminal>();
  const released: string[] = [];
  const find = (id: string): Terminal => {
    const terminal = terminals.get(id);
    if (terminal === undefined) throw acp.RequestError.invalidParams({ details: `Unknown terminal ${id}` });
    return terminal;
  };
  const connection = acp
    .client({ name: 'editor' })
    .onNotification('session/update', ({ params }) => void updates.push(params.update))
    .onRequest('session/request_permission', ({ params }) => {
      questions.push(params);
      if (answer === null) return new Promise<never>(() => undefined);
      return { outcome: { outcome: 'selected' as const, optionId: answer } };
    })
    .onRequest('terminal/create', ({ params }) => {
      const terminalId = `term-${terminals.size + 1}`;
      terminals.set(terminalId, startTerminal(params));
      return { terminalId };
    })
    .onRequest('terminal/output', ({ params }) => {
      const { output, exit } = find(params.terminalId);
      return { output, truncated: false, ...(exit && { exitStatus: exit }) };
    })
    .onRequest('terminal/wait_for_exit', ({ params }) => find(params.terminalId).exited)
    .onRequest('terminal/kill', ({ params }) => {
      find(params.terminalId).child.kill('SIGKILL');
      return {};
    })
    .onRequest('terminal/release', ({ params }) => {
      released.push(params.terminalId);
      find(params.terminalId).child.kill('SIGKILL');
      return {};
    })
    .connect(
      acp.ndJsonStream(
        Writable.toWeb(agent.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(agent.stdout) as ReadableStream<Uint8Array>,
      ),
    );
  const leave = async (): Promise<number | null> => {
    agent.stdin.end();
    return exited;
  };
  onTestFinished(async () => void (await leave()));
  const hello = await connection.agent.request('initialize', {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: { terminal: has },
  });
  const { sessionId } = await connection.agent.request('session/new', { cwd: directory, mcpServers: [] });
  const prompt = (text: string, more: acp.ContentBlock[] = []): Promise<acp.PromptResponse> =>
    connection.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }, ...more] });
  const cancel = (): Promise<void> => connection.agent.notify('session/cancel', { sessionId });
  return {
    agent,
    connection,
    hello,
    directory,
    updates,
    questions,
    terminals,
    released,
    sessionId,
    prompt,
    cancel,
    leave,
  };
}

function startTerminal({ command, args = [], env = [], cwd }: acp.CreateTerminalRequest): Terminal {
  const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const child = spawn(command, args, {
    cwd: cwd ?? undefined,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const terminal: Terminal = {
    child,
    exit: null,
    output: '',
    exited: new Promise((resolve) =>
      child.on('close', (exitCode, signal) => {
        terminal.exit = { exitCode, signal };
        resolve(terminal.exit);
      }),
    ),
  };
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      terminal.output += chunk.toString();
    });
  return terminal;
}

/** What was said to the person, and the states of the calls they saw. */
export function read(updates: readonly acp.SessionUpdate[]) {
  const said = updates
    .flatMap((update) => (update.sessionUpdate === 'agent_message_chunk' ? [update.content] : []))
    .map((content) => (content.type === 'text' ? content.text : ''));
  const calls = updates.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call');
  const changes = updates.flatMap((update) => (update.sessionUpdate === 'tool_call_update' ? [update] : []));
  return { said: said.join('\n'), calls, changes, last: changes.at(-1) };
}
