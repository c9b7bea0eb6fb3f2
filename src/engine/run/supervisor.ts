import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { NacreError } from '../../errors.ts';
import type { StartTimes } from '../process/process-tree.ts';
import type { RunDirectory } from './run-directory.ts';
import type { StreamName } from './run-files.ts';
import type { RunRequest } from './run-request.ts';

const scriptPath = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Paths of the supervisor script and of the part that it loads only when needed. */
export const SUPERVISOR_SCRIPTS: readonly string[] = ['./supervisor.sh', './supervisor-unattended.sh'].map(
  scriptPath,
);

/** Paths of the scripts of the fork server, in the order of their descriptors. */
export const FORK_SERVER_SCRIPTS: readonly string[] = [
  './fork-server.sh',
  './supervisor-unattended.sh',
  './supervisor.sh',
].map(scriptPath);

/** The end of a warm shell's command line; `fork-server.sh` has the same. */
export const WARM_SHELL_ARGUMENTS = '-O expand_aliases -c __X bash';

/** Time for the last line of an exited supervisor to arrive. */
const LAST_LINE_WAIT_MS = 50;

/** What the supervisor reports when the command has been started. */
export interface StartedCommand {
  readonly supervisor: number;
  readonly pid: number;
  readonly startTimes: StartTimes;
  /** The source of each stream: a path to open, or an open descriptor. */
  readonly streams: ReadonlyMap<StreamName, string | number>;
}

/**
 * The caller's connection to a supervisor. `docs/decisions/0001-supervisor.md` lists the lines of the protocol.
 */
export interface SupervisorChannel {
  readonly pid: number;
  /** The line with the exit record; `null` when the supervisor exited without one. */
  readonly ended: Promise<string | null>;
  send(line: string): void;
  /** Closes the connection: the supervisor exits or continues alone. */
  disconnect(line: 'bye' | 'left'): void;
  /** Lets the program exit while this run continues. */
  unref(): void;
  /** Works in an exit handler, where nothing asynchronous does: the supervisor stops the run by itself. */
  terminate(): void;
}

/** A supervisor that is started together with its command. */
export class LaunchedSupervisor implements SupervisorChannel {
  readonly pid: number;
  /** Resolves when the command has been started; rejects when it could not be started. */
  readonly started: Promise<StartedCommand>;
  readonly ended: Promise<string | null>;
  readonly #child: ChildProcess;
  readonly #socket: Socket;

  private constructor(child: ChildProcess, shell: string) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.#socket = child.stdio[3] as Socket;
    const pipes = new Map<StreamName, string>();
    let onStarted: (started: StartedCommand) => void = () => undefined;
    let onFailed: (error: NacreError) => void = () => undefined;
    let onEnded: (line: string | null) => void = () => undefined;
    this.started = new Promise((resolve, reject) => {
      onStarted = resolve;
      onFailed = reject;
    });
    this.ended = new Promise((resolve) => {
      onEnded = resolve;
    });
    this.started.catch(() => undefined);
    const hear = (line: string): void => {
      const [word, first = '', second, third, own] = line.split(' ');
      if (word === 'pipe' && isStreamName(first)) pipes.set(first, line.slice(`pipe ${first} `.length));
      else if (word === 'started')
        onStarted({
          supervisor: Number(own),
          pid: Number(first),
          startTimes: { command: Number(second), supervisor: Number(third) },
          streams: pipes,
        });
      else if (word === 'ended') onEnded(line.slice('ended '.length));
    };
    const fail = (reason: string): void => {
      onFailed(new NacreError('spawn_failed', { shell, reason }));
      onEnded(null);
    };
    onSocketLine(this.#socket, hear);
    this.#socket.on('close', () => fail('its supervisor ended before the command began'));
    this.#socket.on('error', () => undefined);
    child.on('error', (error) => fail(error.message));
    // The listener may keep the stream open, so the close event is not waited for.
    child.on('exit', () => setTimeout(() => onEnded(null), LAST_LINE_WAIT_MS).unref());
  }

  /** Starts a supervisor in a run directory. */
  static launch(
    directory: RunDirectory,
    { shell, input, watcher }: Pick<RunRequest, 'shell' | 'input' | 'watcher'>,
  ): LaunchedSupervisor {
    const scripts: number[] = [];
    try {
      for (const script of SUPERVISOR_SCRIPTS) scripts.push(openSync(script, 'r'));
      const stdin = input.kind === 'descriptor' ? input.fd : 'ignore';
      const orphan = watcher === 'nobody' ? findSetsidPath() : undefined;
      const [program, args] = orphan === undefined ? [shell, []] : [orphan, [shell]];
      // The arguments contain no path: `pkill -f` with a word of the command or of a directory must not match
      // the supervisor.
      const child = spawn(program, [...args, '/dev/fd/4'], {
        ...(orphan === undefined ? { argv0: 'nacre' } : {}),
        cwd: directory.path,
        env: directory.spec.env,
        detached: true,
        stdio: [stdin, 'ignore', 'ignore', 'pipe', ...scripts],
      });
      return new LaunchedSupervisor(child, shell);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new NacreError('spawn_failed', { shell, reason }, { cause });
    } finally {
      for (const fd of scripts) closeSync(fd);
    }
  }

  send(line: string): void {
    if (!this.#socket.destroyed) this.#socket.write(`${line}\n`);
  }

  disconnect(line: 'bye' | 'left'): void {
    this.unref();
    if (!this.#socket.destroyed) this.#socket.end(`${line}\n`);
  }

  /** Drops the connection without a message: the supervisor continues alone. */
  detach(): void {
    this.unref();
    this.#socket.destroy();
  }

  unref(): void {
    this.#child.unref();
    this.#socket.unref();
  }

  terminate(): void {
    // Node sends nothing after it has reaped the child, so the pid cannot belong to another process.
    this.#child.kill('SIGTERM');
  }
}

/**
 * Path of `setsid`, which starts a program that is not our child: a group leader must fork to lead a session.
 *
 * Each child of a Node program costs a system call whenever any child exits, and there may be a thousand jobs.
 */
function findSetsidPath(): string | undefined {
  return ['/usr/bin/setsid', '/bin/setsid'].find((path) => existsSync(path));
}

/** The input pipe is announced as well, but is not read. */
function isStreamName(name: string): name is StreamName {
  return name === 'out' || name === 'err';
}

/** Calls back with each line that a socket receives. */
export function onSocketLine(socket: Socket, hear: (line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) hear(line);
  });
}
