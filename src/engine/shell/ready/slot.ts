import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { StreamName } from '../../run/files.ts';
import type { ReadyDirectory } from '../../run/record/ready-directory.ts';
import type { RunRequest } from '../../run/request.ts';
import { type ReadyGround, toListed } from '../../run/supervise/spec.ts';
import {
  eachLine,
  type Started,
  type Supervisor,
  terminateSupervisor,
} from '../../run/supervise/supervisor.ts';
import type { MadeShell } from './broker.ts';
import { needsPreambleFile, renderText } from './shell-text.ts';

/** Descriptors that `ready.sh` gives these ends. */
const FD = { out: 6, err: 8, told: 15, text: 13, words: 14 };

/** A shell that waits for its command, and its supervisor: everything of a run but what is to be run. */
export class Slot implements Supervisor {
  readonly pid: number;
  readonly ended: Promise<string | null>;
  readonly directory: ReadyDirectory;
  readonly ground: ReadyGround;
  readonly #made: MadeShell;
  readonly #told: Socket;
  readonly #toldFd: number;
  readonly #text: number;
  readonly #words: number;
  readonly #streams = new Map<StreamName, number>();
  #state: 'waiting' | 'taken' | 'over' = 'waiting';
  /** With what a list shows of the run: its listener may not have read the file that has it too before that goes. */
  #farewell = 'bye';
  /** Resolves when the shell waits; with whether it does. */
  readonly ready: Promise<boolean>;
  /** Resolves when its supervisor is gone. */
  readonly gone: Promise<void>;

  constructor(made: MadeShell, directory: ReadyDirectory, ground: ReadyGround) {
    this.#made = made;
    this.pid = made.supervisor;
    this.directory = directory;
    this.ground = ground;
    const opened: number[] = [];
    const open = (pid: number, fd: number, mode: number): number => {
      const number = openSync(`/proc/${pid}/fd/${fd}`, mode | constants.O_NONBLOCK);
      opened.push(number);
      return number;
    };
    try {
      this.#streams.set('out', open(made.supervisor, FD.out, constants.O_RDONLY));
      if (ground.streams === 'apart')
        this.#streams.set('err', open(made.supervisor, FD.err, constants.O_RDONLY));
      this.#text = open(made.listener, FD.text, constants.O_WRONLY);
      this.#words = open(made.listener, FD.words, constants.O_WRONLY);
      this.#toldFd = open(made.supervisor, FD.told, constants.O_RDONLY);
      this.#told = new Socket({
        fd: this.#toldFd,
        readable: true,
        writable: false,
      });
      writeSync(this.#words, 'opened\n');
    } catch (error) {
      for (const fd of opened) closeSync(fd);
      throw error;
    }
    let onEnded: (line: string | null) => void = () => undefined;
    let onReady: (isReady: boolean) => void = () => undefined;
    this.ready = new Promise((resolve) => {
      onReady = resolve;
    });
    this.ended = new Promise((resolve) => {
      onEnded = resolve;
    });
    this.gone = new Promise((resolve) => {
      this.#told.on('close', () => {
        onEnded(null);
        onReady(false);
        resolve();
      });
    });
    this.#told.on('error', () => undefined);
    eachLine(this.#told, (line) => {
      if (line === 'waiting') {
        directory.forgetStart();
        onReady(true);
      } else if (line.startsWith('ended ')) onEnded(line.slice('ended '.length));
    });
    this.#told.unref();
  }

  get isWaiting(): boolean {
    return this.#state === 'waiting';
  }

  /** Gives it its command. `null`: it cannot serve this one, or not any more; then nothing has happened. */
  take(request: RunRequest): Started | null {
    const text = renderText(request, this.ground, this.directory.path);
    if (text === null || this.#state !== 'waiting') return null;
    if (!this.#isAlive()) {
      this.discard();
      return null;
    }
    try {
      const began = this.directory.become(request, needsPreambleFile(request));
      this.#farewell = `bye ${began} ${toListed(request) ?? ''}`;
      writeSync(this.#text, text);
    } catch {
      this.discard();
      this.directory.remove();
      return null;
    }
    this.#state = 'taken';
    closeSync(this.#text);
    this.say('call');
    this.#told.ref();
    const { pid, start, supervisor, supervisorStart } = this.#made;
    const startTimes = { command: start, supervisor: supervisorStart };
    return { supervisor, pid, startTimes, streams: this.#streams };
  }

  /** Nobody has told us anything, and somebody could: what its death would say may not have been heard yet. */
  #isAlive(): boolean {
    try {
      readSync(this.#toldFd, Buffer.alloc(1));
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EAGAIN';
    }
  }

  /** Lets go of one that will not be used: it sees the end of its streams, and leaves nothing. */
  discard(): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'over';
    closeSync(this.#text);
    closeSync(this.#words);
    for (const fd of this.#streams.values()) closeSync(fd);
    this.directory.close();
  }

  say(line: string): void {
    if (this.#state !== 'taken') return;
    try {
      writeSync(this.#words, `${line}\n`);
    } catch {
      // The listener is gone, and whoever it listened for, too.
    }
  }

  leave(line: 'bye' | 'left'): void {
    if (this.#state !== 'taken') return;
    this.say(line === 'bye' ? this.#farewell : line);
    this.#state = 'over';
    closeSync(this.#words);
    this.#told.destroy();
  }

  unref(): void {
    this.#told.unref();
  }

  terminate(): void {
    terminateSupervisor(this.pid);
  }
}
