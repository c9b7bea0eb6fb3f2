import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessScanner } from '../process/process-scanner.ts';
import { LocalProcessTree, type ProcessTreeRoot, signalProcess } from '../process/process-tree.ts';
import { GraceDeadline, stopProcessTree, WakeSignal } from '../process/stop-process-tree.ts';
import { readPipeStatus } from '../run/exit-record.ts';
import { removeStartFiles } from '../run/run-directory.ts';
import type { RunEndPoller } from '../run/run-end-poller.ts';
import { RUN_FILES } from '../run/run-files.ts';
import type { Ending, ExternalExecution, ProcessName, Run, RunEnd, StopReason } from '../run/run-request.ts';
import type { EndedRunState } from '../run/run-state.ts';
import type { StartedCommand } from '../run/supervisor.ts';
import { RunWithDirectory } from './local-run.ts';

interface DetachedRunParts {
  readonly id: string;
  readonly directory: string;
  readonly started: StartedCommand;
  readonly graceMs: number;
  readonly poller: RunEndPoller;
  readonly external: ExternalExecution | undefined;
  readonly scanner: ProcessScanner;
}

interface StopOutcome {
  readonly ending: Ending;
  readonly survivors: readonly ProcessName[];
  readonly notes: readonly string[];
}

/** How long the exit record of the supervisor is awaited after the whole process tree is gone. */
const EXIT_RECORD_WAIT_MS = 500;

/**
 * A background run on this machine. It holds no open files and is not a child of this process.
 *
 * There may be a thousand of them, so each keeps only its identity; the rest is on disk.
 */
export class DetachedRun extends RunWithDirectory implements Run {
  readonly id: string;
  readonly directory: string;
  readonly pid: number;
  readonly startedAt: number = Date.now();
  readonly ended: Promise<RunEnd>;
  readonly #supervisor: number;
  readonly #startTimes: StartedCommand['startTimes'];
  readonly #graceMs: number;
  readonly #poller: RunEndPoller;
  readonly #external: ExternalExecution | undefined;
  readonly #scanner: ProcessScanner;
  readonly #grace = new GraceDeadline();
  #stopped: Promise<StopOutcome> | undefined;
  #resolve: (end: RunEnd) => void = () => undefined;

  constructor({ id, directory, started, graceMs, poller, external, scanner }: DetachedRunParts) {
    super();
    this.id = id;
    this.directory = directory;
    this.pid = started.pid;
    this.#supervisor = started.supervisor;
    this.#startTimes = started.startTimes;
    this.#graceMs = graceMs;
    this.#poller = poller;
    this.#external = external;
    this.#scanner = scanner;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    poller.follow(this, (state) => void this.#finish(state));
  }

  async stop(reason: StopReason, graceMs: number = this.#graceMs): Promise<void> {
    this.#grace.shorten(graceMs);
    this.#stopped ??= this.#stopTree(reason);
    await this.#stopped;
    await this.ended;
  }

  signal(signal: NodeJS.Signals): void {
    new LocalProcessTree(this.#root()).signalGroup(signal);
  }

  abandon(): void {
    signalProcess({ pid: this.#supervisor, startTime: this.#startTimes.supervisor }, 'SIGTERM');
  }

  /** The run is detached from the start. */
  release(): void {}

  /** When the tree is gone, the run ends after a short wait even if the supervisor wrote no exit record. */
  async #stopTree(reason: StopReason): Promise<StopOutcome> {
    writeStopReason(this.directory, reason);
    const root = this.#root();
    const tree = this.#external?.tree(root, this.#scanner) ?? new LocalProcessTree(root, this.#scanner);
    const { forced, survivors, notes } = await stopProcessTree(tree, {
      grace: this.#grace,
      wakeSignal: new WakeSignal(),
    });
    const ending: Ending = { kind: 'stopped', reason, forced };
    this.#poller.pollSoon();
    setTimeout(() => void this.#finish({ ending, endedAt: Date.now() }), EXIT_RECORD_WAIT_MS).unref();
    return { ending, survivors: survivors.map((stat) => tree.describe(stat)), notes };
  }

  #root(): ProcessTreeRoot {
    const { id, pid } = this;
    return { id, pid, supervisor: this.#supervisor, startTimes: this.#startTimes, pipes: [] };
  }

  async #finish({ ending, endedAt }: Pick<EndedRunState, 'ending' | 'endedAt'>): Promise<void> {
    const stopped = await this.#stopped;
    removeStartFiles(this.directory);
    this.#resolve({
      ending: stopped?.ending ?? ending,
      wallTimeMs: Math.max(0, Math.round(endedAt - this.startedAt)),
      leftovers: [],
      survivors: stopped?.survivors ?? [],
      pipeStatus: readPipeStatus(this.directory),
      notes: stopped?.notes ?? [],
    });
  }
}

/** The supervisor copies the reason into the exit record. */
function writeStopReason(directory: string, reason: StopReason): void {
  try {
    writeFileSync(join(directory, RUN_FILES.stopReason), `${reason}\n`, { mode: 0o600 });
  } catch {
    // Disk full: the exit record then names the signal instead of the reason.
  }
}
