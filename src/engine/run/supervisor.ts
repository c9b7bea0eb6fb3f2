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

/** The supervisor of one command: what it reads at its start, and what it may need later. */
export const SUPERVISOR_SCRIPTS: readonly string[] = ['./supervisor.sh', './supervisor-unattended.sh'].map(
  scriptPath,
);

/** The same for shells that are made ahead, in the order of their descriptors. */
export const FORK_SERVER_SCRIPTS: readonly string[] = [
  './fork-server.sh',
  './supervisor-unattended.sh',
  './supervisor.sh',
].map(scriptPath);

/** How the command line of a bash that was started ahead ends; `fork-server.sh` has the same. */
export const WARM_SHELL_ARGUMENTS = '-O expand_aliases -c __X bash';

/** Time for the last line of a supervisor that has ended to come through. */
const LAST_LINE_WAIT_MS = 50;

/** What the supervisor says when the command is on its way. */
export interface StartedCommand {
  readonly supervisor: number;
  readonly pid: number;
  readonly startTimes: StartTimes;
  /** Where each stream can be read: a path to open, or a descriptor that is open already. */
  readonly streams: ReadonlyMap<StreamName, string | number>;
}

/** The caller's end of the talk with a supervisor. The lines are those of `docs/decisions/0001-supervisor.md`. */
export interface SupervisorChannel {
  readonly pid: number;
  /** The line that tells the end; `null` when the supervisor went away without one. */
  readonly ended: Promise<string | null>;
  send(line: string): void;
  /** The caller has all it wants: the supervisor may go, or goes on alone. */
  disconnect(line: 'bye' | 'left'): void;
  /** Lets the program end while this run goes on. */
  unref(): void;
  /** Works in an exit handler, where nothing asynchronous does: the supervisor ends the run by itself. */
  terminate(): void;
}

/** A supervisor that is started together with its command. */
export class LaunchedSupervisor implements SupervisorChannel {
  readonly pid: number;
  /** Resolves when the command is on its way; rejects when it could not be started. */
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
    // Its listener may hold the stream open; what it said before is read by then.
    child.on('exit', () => setTimeout(() => onEnded(null), LAST_LINE_WAIT_MS).unref());
  }

  /** Starts a supervisor in a run's directory. */
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
      // No path in the arguments: `pkill -f` on a word of the command, or of a directory, must not find us.
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

  /** Nobody listens any more: the supervisor goes on alone, and nothing is held for it here. */
  detach(): void {
    this.unref();
    this.#socket.destroy();
  }

  unref(): void {
    this.#child.unref();
    this.#socket.unref();
  }

  terminate(): void {
    // Sends nothing once its end was noticed: until then its number is reserved.
    this.#child.kill('SIGTERM');
  }
}

/**
 * A program that starts another one as nobody's child: who leads a group, as every child of ours does, forks to lead a session.
 *
 * Each child of a Node program costs it a system call whenever any of them ends, and there may be a thousand jobs.
 */
function findSetsidPath(): string | undefined {
  return ['/usr/bin/setsid', '/bin/setsid'].find((path) => existsSync(path));
}

/** The input's pipe is announced too; it is not for reading. */
function isStreamName(name: string): name is StreamName {
  return name === 'out' || name === 'err';
}

/** Calls back with each line that comes. */
export function onSocketLine(socket: Socket, hear: (line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) hear(line);
  });
}
