import { rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage, NacreError } from '../../errors.ts';
import { PidWatermark } from '../process/pid-watermark.ts';
import { ProcReader, readBootId } from '../process/proc-reader.ts';
import { ProcessScanner } from '../process/process-scanner.ts';
import { LocalProcessTree } from '../process/process-tree.ts';
import { createRunDirectory, ensureRunStore, type RunDirectory } from '../run/run-directory.ts';
import { RunEndPoller } from '../run/run-end-poller.ts';
import { RUN_INDEX_FILE } from '../run/run-files.ts';
import type { Run, RunRequest } from '../run/run-request.ts';
import { LaunchedSupervisor } from '../run/supervisor.ts';
import type { WarmShellConfig } from '../run/supervisor-spec.ts';
import { LazyShellPool } from '../shell/lazy-shell-pool.ts';
import { toHumanSize } from '../text/format-size.ts';
import { DetachedRun } from './detached-run.ts';
import type { Host } from './host.ts';
import { LocalRun, type LocalRunParts } from './local-run.ts';

/** One buffer for all runs of a host, large enough to read a fast writer in few calls. */
const READ_BUFFER_BYTES = 256 * 1024;

interface LocalHostOptions {
  /** Run directories are in `<stateDirectory>/runs`. */
  readonly stateDirectory: string;
  /** Foreground runs at the exit of this process: `end` stops them, `keep` turns them into jobs. */
  readonly onExit: 'end' | 'keep';
  /**
   * How many warm shells are kept, once `prepare` has given their configuration.
   *
   * @default 0
   */
  readonly readyShells?: number;
}

interface LaunchedCommand extends Pick<LocalRunParts, 'directory' | 'started'> {
  readonly supervisor: LaunchedSupervisor;
}

/** Creates a host that runs commands on this machine. */
export function createLocalHost(options: LocalHostOptions): Host {
  return new LocalHost(options);
}

class LocalHost implements Host {
  readonly name = 'local';
  readonly sharesFiles = true;
  readonly #runs: string;
  readonly #onExit: 'end' | 'keep';
  readonly #bootId: string = readBootId();
  readonly #watermark = new PidWatermark(new ProcReader());
  readonly #scanner = new ProcessScanner();
  readonly #foreground = new Set<LocalRun>();
  readonly #starting = new Set<Promise<Run>>();
  readonly #poller: RunEndPoller;
  readonly #pool: LazyShellPool;
  #buffer: Buffer | undefined;
  #closed = false;

  constructor({ stateDirectory, onExit, readyShells = 0 }: LocalHostOptions) {
    this.#runs = join(stateDirectory, 'runs');
    this.#poller = new RunEndPoller(join(stateDirectory, RUN_INDEX_FILE));
    this.#onExit = onExit;
    const paths = { ready: join(stateDirectory, 'ready'), runs: this.#runs, bootId: this.#bootId };
    this.#pool = new LazyShellPool(paths, readyShells);
  }

  prepare(config: () => WarmShellConfig): void {
    this.#pool.prepare(config);
  }

  async start(request: RunRequest): Promise<Run> {
    if (this.#closed) throw new NacreError('closed');
    const starting = this.#start(request);
    this.#starting.add(starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  async #start(request: RunRequest): Promise<Run> {
    const launchedAt = performance.now();
    this.#requireSpace(request.keep.minFreeBytes);
    const startSample = this.#watermark.sample();
    const idle = this.#pool.take(request);
    const runEnded = this.#pool.runStarted();
    try {
      const warm = idle ?? (await this.#pool.takeNext(request));
      const common = { request, launchedAt, startSample };
      if (warm !== null) {
        const { shell, started } = warm;
        return this.#attach({ ...common, directory: shell.directory, supervisor: shell, started }, runEnded);
      }
      if (this.#closed) throw new NacreError('closed');
      const launched = await this.#launch(request);
      if (request.watcher === 'reader') return this.#attach({ ...common, ...launched }, runEnded);
      runEnded();
      return this.#detach(request, launched);
    } catch (error) {
      runEnded();
      throw error;
    }
  }

  async #launch(request: RunRequest): Promise<LaunchedCommand> {
    const directory = createRunDirectory(request, { runs: this.#runs, bootId: this.#bootId });
    const supervisor = LaunchedSupervisor.launch(directory, request);
    const started = await supervisor.started.catch((error: unknown) => {
      removeFailedStart(directory, supervisor.pid);
      throw error;
    });
    return { directory, supervisor, started };
  }

  #attach(
    parts: Omit<LocalRunParts, 'buffer' | 'watermark' | 'scanner' | 'onRelease'>,
    onEnd: () => void,
  ): Run {
    this.#buffer ??= Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);
    const run: LocalRun = new LocalRun({
      ...parts,
      buffer: this.#buffer,
      watermark: this.#watermark,
      scanner: this.#scanner,
      onRelease: () => this.#untrack(run),
    });
    this.#track(run, onEnd);
    return run;
  }

  #detach({ graceMs, external }: RunRequest, { directory, supervisor, started }: LaunchedCommand): Run {
    supervisor.detach();
    return new DetachedRun({
      id: directory.id,
      directory: directory.path,
      started,
      graceMs,
      external,
      poller: this.#poller,
      scanner: this.#scanner,
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#pool.close(), this.#stopForeground()]);
    this.#watermark.close();
  }

  /** Stops foreground runs, including runs that are still starting. */
  async #stopForeground(): Promise<void> {
    // Leftover processes of a finished run are not stopped.
    const live = [...this.#foreground].filter((run) => !run.hasEnded);
    const started = [...this.#starting].map(async (starting) => {
      const run = await starting.catch(() => null);
      if (run instanceof LocalRun) await run.stop('shutdown');
    });
    await Promise.all([...live.map((run) => run.stop('shutdown')), ...started]);
  }

  /** Stops the run at process exit; the exit handler is installed only while there are foreground runs. */
  #track(run: LocalRun, onEnd: () => void): void {
    if (this.#foreground.size === 0) this.#toggleExitHandler('on');
    this.#foreground.add(run);
    void run.ended.then(() => {
      // Synchronous: a call that follows directly is not concurrent with this one.
      onEnd();
      setImmediate(() => this.#untrack(run));
    });
  }

  #untrack(run: LocalRun): void {
    if (this.#foreground.delete(run) && this.#foreground.size === 0) this.#toggleExitHandler('off');
  }

  #toggleExitHandler(change: 'on' | 'off'): void {
    // Each host adds one listener; the limit is raised so that Node does not warn of a leak.
    process.setMaxListeners(process.getMaxListeners() + (change === 'on' ? 1 : -1));
    process[change]('exit', this.#atExit);
  }

  readonly #atExit = (): void => {
    for (const run of this.#foreground) {
      run.sendLastLine();
      if (this.#onExit === 'end') run.abandon();
    }
  };

  #requireSpace(minFreeBytes: number): void {
    if (minFreeBytes === 0) return;
    const free = freeBytes(this.#runs);
    if (free >= minFreeBytes) return;
    throw new NacreError('disk_low', {
      free: toHumanSize(free),
      directory: this.#runs,
      floor: toHumanSize(minFreeBytes),
    });
  }
}

/** Kills the processes of a failed start and removes its run directory. */
function removeFailedStart({ id, path }: RunDirectory, supervisor: number): void {
  const tree = new LocalProcessTree({ id, pid: 0, supervisor, startTimes: null, pipes: [] });
  for (const member of tree.members()) tree.signal(member, 'SIGKILL');
  rmSync(path, { recursive: true, force: true });
}

function freeBytes(directory: string): number {
  try {
    ensureRunStore(directory);
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch (cause) {
    throw new NacreError('store_unusable', { directory, reason: errorMessage(cause) }, { cause });
  }
}
