import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { FORK_SERVER_SCRIPTS, onSocketLine } from '../run/supervisor.ts';

/** It remembers all its children; after so many a new one takes over. */
const MAX_FORKS = 500;

/** A supervisor and its shell, as the broker tells of them. */
export interface ForkedShell {
  readonly supervisor: number;
  readonly supervisorStart: number;
  readonly pid: number;
  readonly start: number;
  readonly listener: number;
}

/**
 * A small bash that makes shells for us: its forks cost the same however large this program is, and block nobody.
 *
 * Everything it makes has its environment.
 */
export class ForkServer {
  /** Resolves when it is gone. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #socket: Socket;
  readonly #waiting = new Map<string, (made: ForkedShell | null) => void>();
  #isGone = false;
  readonly #umask = process.umask();
  #made = 0;

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
    onSocketLine(this.#socket, (line) => this.#hear(line));
    this.#socket.on('close', () => this.#fail());
    this.#socket.on('error', () => undefined);
    this.#child.unref();
    this.#socket.unref();
  }

  /** It is there, has not served too long, and is as this program is now. */
  get isReusable(): boolean {
    return !this.#isGone && this.#made < MAX_FORKS && this.#umask === process.umask();
  }

  /** Resolves with the shell that was made in a directory, or with `null` when there will be none. */
  fork(id: string, directory: string): Promise<ForkedShell | null> {
    if (this.#isGone) return Promise.resolve(null);
    this.#made += 1;
    this.#socket.write(`${directory}\n`);
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  /** What it made stays; it makes no more. */
  close(): void {
    this.#fail();
    this.#socket.destroy();
  }

  #hear(line: string): void {
    const [word, id = '', ...numbers] = line.split(' ');
    if (word !== 'ready') return;
    const [supervisor = 0, supervisorStart = 0, pid = 0, start = 0, listener = 0] = numbers.map(Number);
    this.#waiting.get(id)?.({ supervisor, supervisorStart, pid, start, listener });
    this.#waiting.delete(id);
  }

  #fail(): void {
    this.#isGone = true;
    for (const resolve of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
  }
}
