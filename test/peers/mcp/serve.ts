import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PEERS = join(import.meta.dirname, '..');
export const BIN: string = join(PEERS, '../../bin/nacre.cjs');
/** Some peers need a newer Node than the one the tests run on. */
const NODE: string = join(PEERS, 'node_modules/node24/bin/node');

export interface Place {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  remove(): void;
}

/** A home of its own: peers leave files in it. */
export function makePlace(): Place {
  const root = mkdtempSync(join(tmpdir(), 'nacre-peer-'));
  mkdirSync(join(root, 'home'));
  const env = { PATH: process.env.PATH, HOME: join(root, 'home'), NO_COLOR: '1' };
  return { root, env, remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 10 }) };
}

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of a peer's package. */
export function runPeer(name: string, args: readonly string[], { root, env }: Place): Promise<Ran> {
  const child = spawn(NODE, [join(PEERS, 'node_modules/.bin', name), ...args], { cwd: root, env });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    said.stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    said.stderr += String(chunk);
  });
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, ...said })));
}

export interface Serving {
  readonly url: string;
  close(): Promise<void>;
}

/** `nacre mcp --http`, reached through a door that adds the token: not every peer can be told one. */
export async function serveOverHttp({ root, env }: Place): Promise<Serving> {
  const server = spawn(process.execPath, [BIN, 'mcp', '--http', '--port', '0'], { cwd: root, env });
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
  const port = await new Promise<number>((resolve) => {
    server.stderr.on('data', (chunk) => {
      const [, found] = /:(\d+)\/mcp;/.exec(String(chunk)) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
  });
  const token = readFileSync(join(root, 'home/.local/state/nacre/mcp-token'), 'utf8').trim();
  const door = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${token}` };
    const options = { host: '127.0.0.1', port, method: asked.method, path: asked.url, headers };
    const passed = request(options, (given) => {
      answer.writeHead(given.statusCode ?? 500, given.headers);
      given.pipe(answer);
    });
    passed.once('error', () => answer.destroy());
    answer.once('close', () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  const { port: at } = door.address() as { port: number };
  return {
    url: `http://127.0.0.1:${at}/mcp`,
    close: async () => {
      door.close();
      door.closeAllConnections();
      server.kill('SIGTERM');
      await ended;
    },
  };
}
