import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { FORK_SERVER_SCRIPTS, onSocketLine } from '../run/supervisor.ts';

/** Bash remembers all its children, so the fork server is replaced after this many. */
const MAX_FORKS = 500;

/** Pids and start times of a forked supervisor, its shell and its listener. */
export interface ForkedShell {
  readonly supervisor: number;
  readonly supervisorStart: number;
  readonly pid: number;
  readonly start: number;
  readonly listener: number;
}

/**
 * A small bash process that forks warm shells: its forks are cheap regardless of the size of this process.
 *
 * Its environment is the environment of all shells it forks.
 */
export class ForkServer {
  /** Resolves when the process has exited. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #socket: Socket;
  readonly #pending = new Map<string, (forked: ForkedShell | null) => void>();
  #isGone = false;
  readonly #umask = process.umask();
  #forkCount = 0;

  constructor({ shell, env }: { shell: string; env: Readonly<Record<string, string>> }) {
    const scripts: number[] = [];
    try {
      for (const script of FORK_SERVER_SCRIPTS) scripts.push(openSync(script, 'r'));
      this.#child = spawn(shell, ['/dev/fd/4'], {
        argv0: 'nacre',
        cwd: '/',
        env: { ...env },
        detached: true,
        stdio: ['ignore', 'ignore', 'ignore', 'pipe', ...scripts],
      });
    } finally {
      for (const fd of scripts) closeSync(fd);
    }
    this.#socket = this.#child.stdio[3] as Socket;
    this.ended = new Promise((resolve) => {
      const end = (): void => {
        this.#fail();
        resolve();
      };
      this.#child.on('exit', end);
      this.#child.on('error', end);
    });
    onSocketLine(this.#socket, (line) => this.#handleLine(line));
    this.#socket.on('close', () => this.#fail());
    this.#socket.on('error', () => undefined);
    this.#child.unref();
    this.#socket.unref();
  }

  /** Whether it is alive, below its fork limit and has the current umask. */
  get isReusable(): boolean {
    return !this.#isGone && this.#forkCount < MAX_FORKS && this.#umask === process.umask();
  }

  /** Forks a shell in a warm run directory; resolves with `null` if that fails. */
  fork(id: string, directory: string): Promise<ForkedShell | null> {
    if (this.#isGone) return Promise.resolve(null);
    this.#forkCount += 1;
    this.#socket.write(`${directory}\n`);
    return new Promise((resolve) => this.#pending.set(id, resolve));
  }

  /** Stops the server; shells that it forked continue. */
  close(): void {
    this.#fail();
    this.#socket.destroy();
  }

  #handleLine(line: string): void {
    const [word, id = '', ...numbers] = line.split(' ');
    if (word !== 'ready') return;
    const [supervisor = 0, supervisorStart = 0, pid = 0, start = 0, listener = 0] = numbers.map(Number);
    this.#pending.get(id)?.({ supervisor, supervisorStart, pid, start, listener });
    this.#pending.delete(id);
  }

  #fail(): void {
    this.#isGone = true;
    for (const resolve of this.#pending.values()) resolve(null);
    this.#pending.clear();
  }
}
