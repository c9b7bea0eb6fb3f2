import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../../errors.ts';
import type { PidSample, PidWatermark } from '../process/pid-watermark.ts';
import { hasExited, type ProcessStat, ProcReader } from '../process/proc-reader.ts';
import type { ProcessScanner } from '../process/process-scanner.ts';
import { LocalProcessTree, type ProcessTree } from '../process/process-tree.ts';
import {
  GraceDeadline,
  stopProcessTree,
  type TreeStopResult,
  WakeSignal,
} from '../process/stop-process-tree.ts';
import {
  type ExitRecord,
  parseExitRecordLine,
  readPipeStatus,
  renderExitRecord,
  renderStoppedLine,
} from '../run/exit-record.ts';
import { linkBackgroundLog, removeStartFiles } from '../run/run-directory.ts';
import { RUN_FILES } from '../run/run-files.ts';
import { endInput, sendInput } from '../run/run-input.ts';
import type { Ending, ProcessName, Run, RunEnd, StopReason } from '../run/run-request.ts';
import { resizeTerminal, type TerminalSize } from '../run/run-terminal.ts';
import { type SupervisorChannel, WARM_SHELL_ARGUMENTS } from '../run/supervisor.ts';
import { OutputReader, type OutputReaderParts } from './output-reader.ts';

/** Input and terminal size of a run, which need only its run directory. */
export abstract class RunWithDirectory {
  abstract readonly id: string;
  abstract readonly directory: string;

  send(bytes: string | Buffer): Promise<void> {
    return sendInput(this, bytes);
  }

  endInput(): Promise<void> {
    return endInput(this);
  }

  resize(size: TerminalSize): Promise<void> {
    return resizeTerminal(this.directory, size);
  }
}

/** How long the supervisor's exit line is awaited after the whole process tree is gone. */
const EXIT_LINE_WAIT_MS = 100;

/** How often the process tree is scanned after the supervisor was killed. */
const ORPHAN_POLL_MS = 50;

/** Longest command line in a result. */
const NAME_LENGTH = 200;

/** What a foreground run needs: the started command, its supervisor and shared objects of the host. */
export interface LocalRunParts extends OutputReaderParts {
  readonly supervisor: SupervisorChannel;
  readonly launchedAt: number;
  /** Taken before the command started. */
  readonly startSample: PidSample;
  readonly watermark: PidWatermark;
  readonly scanner: ProcessScanner;
  /** Called when the run becomes a job and therefore survives this process. */
  readonly onRelease: () => void;
}

interface PendingStop {
  readonly reason: StopReason;
  readonly done: Promise<TreeStopResult>;
}

/** A foreground run on this machine, from the start of its command. */
export class LocalRun extends RunWithDirectory implements Run {
  readonly id: string;
  readonly directory: string;
  readonly pid: number;
  readonly startedAt: number = Date.now();
  readonly ended: Promise<RunEnd>;
  readonly #parts: LocalRunParts;
  readonly #tree: ProcessTree;
  readonly #reader: OutputReader | undefined;
  readonly #notes: string[] = [];
  readonly #wakeSignal = new WakeSignal();
  readonly #grace = new GraceDeadline();
  #stopping: PendingStop | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopWaiting: () => void = () => undefined;
  #isForeground = true;
  #hasEnded = false;
  #sendLastLine: () => void = () => undefined;

  constructor(parts: LocalRunParts) {
    super();
    const { request, directory, started, startSample, watermark, scanner } = parts;
    this.#parts = parts;
    this.id = directory.id;
    this.directory = directory.path;
    this.pid = started.pid;
    const stopOnFull = (): void => void this.stop('output_limit');
    this.#reader = this.#openReader({ ...parts, onFull: stopOnFull });
    const root = {
      ...started,
      id: this.id,
      startSample,
      watermark,
      pipes: this.#reader?.pipes ?? [],
    };
    this.#tree = request.external?.tree(root, scanner) ?? new LocalProcessTree(root, scanner);
    if (request.timeoutMs !== null) {
      this.#timer = setTimeout(() => void this.stop('timeout'), request.timeoutMs);
    }
    this.ended = this.#finish();
  }

  /**
   * If the pipes cannot be opened, the supervisor writes the output files, so that the command does not block.
   */
  #openReader(parts: ConstructorParameters<typeof OutputReader>[0]): OutputReader | undefined {
    try {
      return new OutputReader(parts);
    } catch (error) {
      if (isSupervisorGone(error as NodeJS.ErrnoException, parts.started.supervisor)) return undefined;
      this.#notes.push(`The output was not read while the command ran: ${errorMessage(error)}.`);
      this.#parts.supervisor.send('release');
      return undefined;
    }
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  async stop(reason: StopReason, graceMs: number = this.#parts.request.graceMs): Promise<void> {
    this.#grace.shorten(graceMs);
    this.#wakeSignal.wake();
    this.#stopping ??= { reason, done: this.#stopTree() };
    await this.ended;
  }

  /** When the tree is gone, the run ends after a short wait even if the supervisor reports nothing. */
  async #stopTree(): Promise<TreeStopResult> {
    const result = await stopProcessTree(this.#tree, { grace: this.#grace, wakeSignal: this.#wakeSignal });
    setTimeout(() => this.#stopWaiting(), EXIT_LINE_WAIT_MS).unref();
    return result;
  }

  signal(signal: NodeJS.Signals): void {
    this.#tree.signalGroup(signal);
  }

  release(): void {
    if (!this.#isForeground || this.#hasEnded) return;
    this.#isForeground = false;
    clearTimeout(this.#timer);
    this.#reader?.close();
    this.#parts.onRelease();
    linkBackgroundLog(this.directory);
    this.#parts.supervisor.send('release');
    this.#parts.supervisor.unref();
  }

  abandon(): void {
    if (!this.#hasEnded) this.#parts.supervisor.terminate();
  }

  /** Sends the pending last line to the supervisor of a finished run. Synchronous, for an exit handler. */
  sendLastLine(): void {
    this.#sendLastLine();
  }

  async #finish(): Promise<RunEnd> {
    const line = await this.#awaitExitLine();
    this.#hasEnded = true;
    const wallTimeMs = Math.round(performance.now() - this.#parts.launchedAt);
    clearTimeout(this.#timer);
    this.#wakeSignal.wake();
    const stopped = await this.#stopping?.done;
    if (this.#isForeground && this.#reader === undefined) this.#readOutputFiles();
    const pipeState = this.#reader?.drain() ?? 'eof';
    const record = line === null ? null : parseExitRecordLine(line);
    const leftovers = stopped === undefined && this.#isForeground ? this.#leftovers(pipeState) : [];
    this.#reader?.close();
    const ending = this.#toEnding(record, stopped);
    if (line !== null && stopped !== undefined) this.#writeExitRecord(line, stopped);
    this.#disconnect(leftovers, pipeState);
    const survivors = (stopped?.survivors ?? []).map((stat) => this.#describe(stat));
    return {
      ending,
      wallTimeMs,
      leftovers,
      survivors,
      pipeStatus: this.#parts.request.pipeStatus ? readPipeStatus(this.directory) : null,
      notes: [...this.#notes, ...(this.#reader?.notes() ?? []), ...(stopped?.notes ?? [])],
    };
  }

  /** The pipes could not be opened: the output is read from the files that the supervisor wrote. */
  #readOutputFiles(): void {
    for (const stream of ['out', 'err'] as const) {
      try {
        void this.#parts.request.onBytes?.(stream, readFileSync(join(this.directory, stream)));
      } catch (error) {
        // ENOENT: the stream has no output file.
        const { code, message } = error as NodeJS.ErrnoException;
        if (code !== 'ENOENT') this.#notes.push(`Its output could not be read: ${message}.`);
      }
    }
  }

  /** Resolves with the supervisor's exit line, or with `null` if the supervisor cannot send one. */
  #awaitExitLine(): Promise<string | null> {
    return new Promise((resolve) => {
      this.#stopWaiting = () => resolve(null);
      void this.#parts.supervisor.ended.then(async (line) => {
        if (line === null) await this.#awaitOrphans();
        resolve(line);
      });
    });
  }

  /** The supervisor was killed: waits until no process of the run is left. */
  async #awaitOrphans(): Promise<void> {
    while (this.#stopping === undefined && this.#tree.members().length > 0)
      await this.#wakeSignal.sleep(ORPHAN_POLL_MS);
  }

  #leftovers(pipeState: 'open' | 'eof'): ProcessName[] {
    if (pipeState === 'eof' && this.#tree.hasNoLeftovers()) return [];
    return this.#tree.members().map((stat) => ({
      ...this.#describe(stat),
      ...(this.#tree.isInGroup(stat) ? {} : { leftGroup: true as const }),
    }));
  }

  /** A forked warm shell shows the command line of the warm shell until it calls exec. */
  #describe(stat: ProcessStat): ProcessName {
    const name = this.#tree.describe(stat);
    if (!name.command.endsWith(WARM_SHELL_ARGUMENTS)) return name;
    return { ...name, command: `bash -c ${this.#parts.request.command}`.slice(0, NAME_LENGTH) };
  }

  #toEnding(record: ExitRecord | null, stopped: TreeStopResult | undefined): Ending {
    if (this.#stopping !== undefined && stopped !== undefined) {
      return { kind: 'stopped', reason: this.#stopping.reason, forced: stopped.forced };
    }
    return record?.ending ?? { kind: 'lost', why: 'its supervisor was killed' };
  }

  /** Only this process knows the stop reason: it is added to the exit record for later readers. */
  #writeExitRecord(line: string, { forced }: TreeStopResult): void {
    if (this.#stopping === undefined) return;
    const text = renderStoppedLine(line, { reason: this.#stopping.reason, forced });
    try {
      writeFileSync(join(this.directory, RUN_FILES.exitRecord), renderExitRecord(text), { flag: 'r+' });
    } catch {
      // The record then names the signal instead of the reason.
    }
  }

  /** The supervisor continues to read the output of leftover processes; without any it exits. */
  #disconnect(leftovers: readonly ProcessName[], pipeState: 'open' | 'eof'): void {
    const { supervisor } = this.#parts;
    const isEmpty = leftovers.length === 0 && pipeState === 'eof';
    if (leftovers.length > 0) this.#writeLeftovers(leftovers);
    if (!isEmpty) {
      supervisor.disconnect('left');
      return;
    }
    this.#sendLastLine = () => {
      this.#sendLastLine = () => undefined;
      supervisor.disconnect('bye');
      // A released run still needs these files; its supervisor removes them.
      if (this.#isForeground) removeStartFiles(this.directory);
    };
    // Deferred with setImmediate so that waking the supervisor does not delay the result.
    setImmediate(() => this.#sendLastLine());
  }

  /** Written before the run ends, so that a job named in the result can be found at once. */
  #writeLeftovers(leftovers: readonly ProcessName[]): void {
    const text = leftovers.map(({ pid }) => `${pid}\n`).join('');
    try {
      writeFileSync(join(this.directory, RUN_FILES.leftoverPids), text, { mode: 0o600 });
    } catch {
      // The supervisor then finds the processes itself.
    }
  }
}

/** The descriptors of an exited supervisor cannot be opened. EACCES: those of a zombie belong to root. */
function isSupervisorGone({ code }: NodeJS.ErrnoException, supervisor: number): boolean {
  const isMissing = code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES';
  return isMissing && hasExited(new ProcReader().stat(supervisor));
}
