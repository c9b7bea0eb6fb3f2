import { closeSync, constants, openSync, statSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { isPidInUse } from '../process/process-identity.ts';
import { signalProcess } from '../process/process-tree.ts';
import type { WarmRunDirectory } from '../run/run-directory.ts';
import type { StreamName } from '../run/run-files.ts';
import type { RunRequest } from '../run/run-request.ts';
import type { StartedCommand, SupervisorChannel } from '../run/supervisor.ts';
import { toIndexRowPrefix, type WarmShellConfig } from '../run/supervisor-spec.ts';
import type { ForkedShell } from './fork-server.ts';
import { type RenderedCall, renderCallScript } from './pooled-shell-script.ts';

/** Descriptor numbers in `fork-server.sh`. */
const SHELL_FDS = { out: 6, err: 8, reports: 15, script: 13, control: 14 };

/**
 * The listener enforces the time limits if this process hangs or dies. It gets them only if the command does
 * not end at once.
 */
const SEND_LIMITS_AFTER_MS = 20;

/** Lines of the supervisor are short. */
const LINE_BYTES = 4096;

/** The working directory of a warm shell when it was forked. */
interface ShellHome {
  readonly cwd: string;
  /** Device and inode, to detect a replaced directory. */
  readonly identity: string;
}

/** The directory and configuration of a warm shell. */
interface PooledShellParts {
  readonly directory: WarmRunDirectory;
  readonly config: WarmShellConfig;
  readonly home: ShellHome;
}

/** A warm shell and its supervisor, which wait for a command. */
export class PooledShell implements SupervisorChannel {
  readonly pid: number;
  #onEnded: (line: string | null) => void = () => undefined;
  #onReady: (isReady: boolean) => void = () => undefined;
  readonly ended: Promise<string | null> = new Promise((resolve) => {
    this.#onEnded = resolve;
  });
  /** Resolves with whether the shell waits for a command. */
  readonly ready: Promise<boolean> = new Promise((resolve) => {
    this.#onReady = resolve;
  });
  readonly directory: WarmRunDirectory;
  readonly config: WarmShellConfig;
  readonly #forked: ForkedShell;
  readonly #home: ShellHome;
  readonly #reports: Socket;
  readonly #script: number;
  readonly #control: number;
  readonly #streams = new Map<StreamName, number>();
  #state: 'waiting' | 'taken' | 'over' = 'waiting';
  #timer: NodeJS.Timeout | undefined;
  /** Includes the row of the run index: the listener may not have read the call file before it is removed. */
  #lastLine = 'bye';
  /** Resolves when the supervisor has exited. */
  readonly gone: Promise<void>;

  constructor(forked: ForkedShell, { directory, config, home }: PooledShellParts) {
    this.#forked = forked;
    this.#home = home;
    this.pid = forked.supervisor;
    this.directory = directory;
    this.config = config;
    const opened: number[] = [];
    const open = (pid: number, fd: number, mode: number): number => {
      const number = openSync(`/proc/${pid}/fd/${fd}`, mode | constants.O_NONBLOCK);
      opened.push(number);
      return number;
    };
    try {
      this.#streams.set('out', open(forked.supervisor, SHELL_FDS.out, constants.O_RDONLY));
      if (config.streams === 'apart')
        this.#streams.set('err', open(forked.supervisor, SHELL_FDS.err, constants.O_RDONLY));
      this.#script = open(forked.listener, SHELL_FDS.script, constants.O_WRONLY);
      this.#control = open(forked.listener, SHELL_FDS.control, constants.O_WRONLY);
      const reports = open(forked.supervisor, SHELL_FDS.reports, constants.O_RDONLY);
      this.#reports = openLineSocket(reports, (line) => this.#handleLine(line));
      writeSync(this.#control, 'opened\n');
    } catch (error) {
      for (const fd of opened) closeSync(fd);
      throw error;
    }
    this.gone = new Promise((resolve) => {
      this.#reports.on('close', () => {
        this.#onEnded(null);
        this.#onReady(false);
        resolve();
      });
    });
    this.#reports.on('error', () => undefined);
    this.#reports.unref();
  }

  #handleLine(line: string): void {
    if (line === 'waiting') {
      this.directory.removeLaunchFiles();
      this.#onReady(true);
    } else if (line.startsWith('ended ')) this.#onEnded(line.slice('ended '.length));
  }

  get isWaiting(): boolean {
    return this.#state === 'waiting';
  }

  /** Starts a command in the shell. `null`: the shell cannot run it, and nothing has happened. */
  take(request: RunRequest): StartedCommand | null {
    const rendered = this.#state === 'waiting' ? this.#render(request) : null;
    if (rendered === null) return null;
    if (!this.#isAlive()) {
      this.discard();
      return null;
    }
    try {
      const began = this.directory.recordRequest(request, rendered.hasPreambleFile);
      this.#lastLine = `bye ${began} ${toIndexRowPrefix(request) ?? ''}`;
      if (rendered.needsRunDirectory) this.directory.promote();
      writeSync(this.#script, rendered.text);
    } catch {
      this.discard();
      this.directory.remove();
      return null;
    }
    this.#begin();
    const { pid, start, supervisor, supervisorStart } = this.#forked;
    const startTimes = { command: start, supervisor: supervisorStart };
    return { supervisor, pid, startTimes, streams: this.#streams };
  }

  #render(request: RunRequest): RenderedCall | null {
    const isHome = request.cwd === this.#home.cwd && directoryIdentity(request.cwd) === this.#home.identity;
    return renderCallScript(request, { config: this.config, directory: this.directory.path, isHome });
  }

  /** Closing the pipe starts the command; the rest is done while it runs. */
  #begin(): void {
    this.#state = 'taken';
    closeSync(this.#script);
    try {
      this.directory.promote();
    } catch {
      this.directory.stayPending();
    }
    this.#timer = setTimeout(() => this.#sendLimits(), SEND_LIMITS_AFTER_MS).unref();
    this.#reports.ref();
  }

  #sendLimits(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#write('call');
  }

  /**
   * Asks the kernel, because the end of the supervisor may not have been read yet. The pid cannot have been
   * reused so soon. If the supervisor dies right after this check, the run is watched without it.
   */
  #isAlive(): boolean {
    return isPidInUse(this.#forked.supervisor);
  }

  /** Discards an unused shell, which exits when its streams close. */
  discard(): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'over';
    closeSync(this.#script);
    closeSync(this.#control);
    for (const fd of this.#streams.values()) closeSync(fd);
    this.directory.close();
  }

  send(line: string): void {
    if (this.#state !== 'taken') return;
    this.#sendLimits();
    this.#write(line);
  }

  disconnect(line: 'bye' | 'left'): void {
    if (this.#state !== 'taken') return;
    this.#state = 'over';
    clearTimeout(this.#timer);
    this.#write(line === 'bye' ? this.#lastLine : line);
    // Deferred with setImmediate so that it does not delay the result.
    setImmediate(() => {
      closeSync(this.#control);
      this.#reports.destroy();
    });
  }

  #write(line: string): void {
    try {
      writeSync(this.#control, `${line}\n`);
    } catch {
      // The supervisor is gone.
    }
  }

  unref(): void {
    this.#reports.unref();
  }

  terminate(): void {
    signalProcess({ pid: this.pid, startTime: this.#forked.supervisorStart }, 'SIGTERM');
  }
}

/** Returns device and inode of a directory, to detect a replaced one. */
export function directoryIdentity(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.dev}:${found.ino}`;
}

/** Reads lines from a descriptor. `onread` avoids the stream layers, which would delay the result. */
function openLineSocket(fd: number, onLine: (line: string) => void): Socket {
  let rest = '';
  const callback = (count: number, bytes: Uint8Array): boolean => {
    const lines = (rest + Buffer.from(bytes.buffer, bytes.byteOffset, count).toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
    return true;
  };
  const socket = new Socket({
    fd,
    readable: true,
    writable: false,
    onread: { buffer: Buffer.alloc(LINE_BYTES), callback },
  } as ConstructorParameters<typeof Socket>[0]);
  socket.resume();
  return socket;
}
