import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, readSync } from 'node:fs';
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
}

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

  async run(script: string, { cwd, env, streams }: Place): Promise<Printed> {
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
      const [exitCode, signal] = await new Promise<[number | null, string | null]>((resolve) =>
        child.on('exit', (code, name) => resolve([code, name])),
      );
      return { out: drain(out.read), err: streams === 'merged' ? '' : drain(err.read), exitCode, signal };
    } finally {
      for (const fd of new Set([out.read, out.write, err.read, err.write])) closeSync(fd);
    }
  }

  #openPipe(): { readonly read: number; readonly write: number } {
    if (this.#count % BATCH === 0) {
      const names = Array.from({ length: BATCH }, (_, at) => join(this.#pipes, String(this.#count + at)));
      spawnSync('mkfifo', names);
    }
    const path = join(this.#pipes, String(this.#count));
    this.#count += 1;
    const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return { read, write: openSync(path, constants.O_WRONLY) };
  }
}

/** A script prints less than a pipe holds. */
function drain(fd: number): string {
  const chunks: Buffer[] = [];
  const buffer = Buffer.alloc(65_536);
  for (;;) {
    const count = readNow(fd, buffer);
    if (count <= 0) return Buffer.concat(chunks).toString('latin1');
    chunks.push(Buffer.from(buffer.subarray(0, count)));
  }
}

function readNow(fd: number, buffer: Buffer): number {
  try {
    return readSync(fd, buffer);
  } catch {
    return 0;
  }
}
