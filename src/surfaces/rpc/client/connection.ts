import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { LineSplitter } from '../../serving/json-lines.ts';
import type { Event, RequestId, Response } from '../protocol.ts';

/** An error response, or a connection that has ended. */
export class RpcError extends Error {
  override readonly name: string = 'RpcError';
  /** An error code of the package, or `gone` when the server has exited. */
  readonly id: string;

  constructor(id: string, message: string) {
    super(message);
    this.id = id;
  }
}

export interface RpcConnectionOptions {
  readonly command: readonly string[] | undefined;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: NodeJS.ProcessEnv | undefined;
  readonly onEvent: (event: Event) => void;
}

/** Far more than any response of a server. */
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024;
const BIN = fileURLToPath(new URL('../../../../bin/nacre.cjs', import.meta.url));

/** A `nacre rpc` child process and the pending requests. */
export class RpcConnection {
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<
    RequestId,
    { resolve(response: Response): void; reject(error: RpcError): void }
  >();
  #nextId = 1;
  #problem: RpcError | null = null;

  constructor({ command = [process.execPath, BIN], args, cwd, env, onEvent }: RpcConnectionOptions) {
    const [program = '', ...first] = command;
    this.#child = spawn(program, [...first, 'rpc', ...args], {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const splitter = new LineSplitter(MAX_RESPONSE_BYTES, (line) => {
      if ('bytes' in line) this.#take(JSON.parse(line.bytes.toString('utf8')), onEvent);
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => splitter.write(chunk));
    // Pending requests are rejected when the process closes.
    this.#child.stdin?.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      const end = (problem: string): void => {
        this.#fail(new RpcError('gone', problem));
        resolve();
      };
      this.#child.once('error', (error) => end(`nacre rpc could not be started: ${error.message}`));
      this.#child.once('close', (code, signal) => end(`nacre rpc exited (${signal ?? `exit code ${code}`})`));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  newId(): RequestId {
    return this.#nextId++;
  }

  request(message: Readonly<Record<string, unknown>> & { readonly id: RequestId }): Promise<Response> {
    if (this.#problem !== null) return Promise.reject(this.#problem);
    return new Promise((resolve, reject) => {
      this.#waiting.set(message.id, { resolve, reject });
      this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
    });
  }

  /** Closes stdin: the server finishes the running requests and exits. */
  end(): Promise<void> {
    this.#child.stdin?.end();
    return this.ended;
  }

  #take(message: Response | Event, onEvent: (event: Event) => void): void {
    if (message.type !== 'response') {
      onEvent(message);
      return;
    }
    if (message.id === undefined) return;
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    waiting?.resolve(message);
  }

  #fail(problem: RpcError): void {
    this.#problem = problem;
    for (const { reject } of this.#waiting.values()) reject(problem);
    this.#waiting.clear();
  }
}
