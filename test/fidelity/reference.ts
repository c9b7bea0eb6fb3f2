import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';

/** What a script did, as far as anybody can see. */
export interface Seen {
  readonly out: string;
  readonly err: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Every file with its mode and what is in it. */
  readonly files: string;
}

export type Printed = Omit<Seen, 'files'>;

export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly streams: 'merged' | 'apart';
  readonly limitMs: number;
}

/** Bash itself did not come to an end in time. */
export class EndlessScript extends Error {}

/** Made at once: a process for each would cost more than the script. */
const BATCH = 100;

/** Runs scripts with bash itself, on real pipes as nacre has them. */
export class Reference {
  readonly #pipes: string;
  #count = 0;

  constructor(directory: string) {
    this.#pipes = join(directory, 'pipes');
    mkdirSync(this.#pipes, { recursive: true });
  }

  async run(script: string, { cwd, env, streams, limitMs }: Place): Promise<Printed> {
    const out = this.#openPipe();
    const err = streams === 'merged' ? out : this.#openPipe();
    try {
      const child = spawn('/bin/bash', ['-c', script], {
        argv0: 'bash',
        cwd,
        env,
        detached: true,
        stdio: ['ignore', out.write, err.write],
      });
      let isOver = false;
      const limit = setTimeout(() => {
        isOver = true;
        endGroup(child.pid);
      }, limitMs);
      const [exitCode, signal] = await new Promise<[number | null, string | null]>((resolve) =>
        child.on('exit', (code, name) => resolve([code, name])),
      );
      clearTimeout(limit);
      if (isOver) throw new EndlessScript();
      return { out: out.rest(), err: streams === 'merged' ? '' : err.rest(), exitCode, signal };
    } finally {
      for (const pipe of new Set([out, err])) pipe.close();
    }
  }

  #openPipe(): OwnPipe {
    if (this.#count % BATCH === 0) {
      const names = Array.from({ length: BATCH }, (_, at) => join(this.#pipes, String(this.#count + at)));
      spawnSync('mkfifo', names);
    }
    const path = join(this.#pipes, String(this.#count));
    this.#count += 1;
    return new OwnPipe(path);
  }
}

/** A pipe that is read as it fills. */
class OwnPipe {
  readonly write: number;
  readonly #read: number;
  readonly #socket: Socket;
  readonly #chunks: Buffer[] = [];

  constructor(path: string) {
    this.#read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    this.write = openSync(path, constants.O_WRONLY);
    this.#socket = new Socket({ fd: this.#read, readable: true, writable: false });
    this.#socket.on('data', (chunk) => this.#chunks.push(chunk));
  }

  /** All there is now. */
  rest(): string {
    const buffer = Buffer.alloc(65_536);
    for (let count = readNow(this.#read, buffer); count > 0; count = readNow(this.#read, buffer))
      this.#chunks.push(Buffer.from(buffer.subarray(0, count)));
    return Buffer.concat(this.#chunks).toString('latin1');
  }

  close(): void {
    this.#socket.destroy();
    closeSync(this.write);
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It is over.
  }
}

function readNow(fd: number, buffer: Buffer): number {
  try {
    return readSync(fd, buffer);
  } catch {
    return 0;
  }
}
