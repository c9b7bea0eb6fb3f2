import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { nacreEnv } from './nacre-cli.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const BIN = join(import.meta.dirname, '../../bin/nacre.cjs');

export type Line = Readonly<Record<string, unknown>> & { readonly type?: string; readonly id?: unknown };

/** A server on stdin and stdout, spoken to by hand. */
export interface LinePeer {
  readonly child: ChildProcess;
  readonly root: string;
  readonly lines: Line[];
  send(request: object): void;
  write(bytes: string | Buffer): void;
  /** The first line so far, or to come, that this is true of. */
  line(wanted: (line: Line) => boolean): Promise<Line>;
  response(
    id: string | number,
  ): Promise<Line & { success: boolean; data: Record<string, unknown>; errorId?: string }>;
  readonly exited: Promise<number | string | null>;
}

export interface LinePeerOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly root?: string;
}

/** Started for one test, and gone after it. */
export function useLines(surface: 'rpc' | 'mcp'): (options?: LinePeerOptions) => LinePeer {
  const peers: LinePeer[] = [];
  afterEach(async () => {
    for (const { child, exited } of peers.splice(0)) {
      child.kill('SIGTERM');
      child.stdout?.resume();
      await exited;
    }
  });
  return ({ args = [], env = {}, root = temporaryDirectory() } = {}) => {
    const child = spawn(process.execPath, [BIN, surface, ...args], {
      cwd: root,
      env: nacreEnv(root, env),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const peer = toPeer(child, root);
    peers.push(peer);
    return peer;
  };
}

function toPeer(child: ChildProcess, root: string): LinePeer {
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) lines.push(JSON.parse(part));
    for (const look of waiting) look();
  });
  child.stdin?.on('error', () => undefined);
  const line = (wanted: (line: Line) => boolean): Promise<Line> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = lines.find(wanted);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const write = (bytes: string | Buffer): void => void child.stdin?.write(bytes);
  return {
    child,
    root,
    lines,
    write,
    line,
    send: (request) => write(`${JSON.stringify(request)}\n`),
    response: (id) =>
      line((each) => each.type === 'response' && each.id === id) as ReturnType<LinePeer['response']>,
    exited: new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal))),
  };
}
