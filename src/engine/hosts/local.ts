import { rmSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NacreError } from '../../errors.ts';
import { EndPoller } from '../run/detached/end-poller.ts';
import { INDEX_FILE } from '../run/files.ts';
import { readBootId } from '../run/record/boot.ts';
import { createRunDirectory, makeStore, type RunDirectory } from '../run/record/directory.ts';
import type { Run, RunRequest } from '../run/request.ts';
import { type Started, Supervisor } from '../run/supervise/supervisor.ts';
import { Tree } from '../run/tree/tree.ts';
import { toHumanSize } from '../text/size.ts';
import { DetachedRun } from './detached-run.ts';
import type { Host } from './host.ts';
import { LocalRun } from './local-run.ts';

/** Large enough that a fast writer is read in few calls; one for all runs of a host. */
const READ_BUFFER_BYTES = 256 * 1024;

export interface LocalHostOptions {
  /** Runs live in `<stateDirectory>/runs`. */
  readonly stateDirectory: string;
  /** What becomes of foreground runs when this program exits: `end` ends them, `keep` lets them go on as jobs. */
  readonly onExit: 'end' | 'keep';
}

/** A command on its way, and who watches over it. */
interface Launched {
  readonly directory: RunDirectory;
  readonly supervisor: Supervisor;
  readonly started: Started;
}

/** Runs commands on this machine. */
export function createLocalHost({ stateDirectory, onExit }: LocalHostOptions): Host {
  return new LocalHost(join(stateDirectory, 'runs'), onExit);
}

class LocalHost implements Host {
  readonly name = 'local';
  readonly sharesFiles = true;
  readonly #runs: string;
  readonly #onExit: 'end' | 'keep';
  readonly #bootId: string = readBootId();
  readonly #live = new Set<LocalRun>();
  readonly #poller: EndPoller;
  #buffer: Buffer | undefined;
  #closed = false;

  constructor(runs: string, onExit: 'end' | 'keep') {
    this.#runs = runs;
    this.#poller = new EndPoller(join(dirname(runs), INDEX_FILE));
    this.#onExit = onExit;
  }

  async start(request: RunRequest): Promise<Run> {
    if (this.#closed) throw new NacreError('closed');
    const launchedAt = performance.now();
    this.#requireSpace(request.keep.minFreeBytes);
    const directory = createRunDirectory(request, { runs: this.#runs, bootId: this.#bootId });
    const supervisor = Supervisor.launch(directory, request);
    const started = await supervisor.started.catch((error: unknown) => {
      clearAway(directory, supervisor.pid);
      throw error;
    });
    if (request.watcher === 'nobody') return this.#detach(request, { directory, supervisor, started });
    this.#buffer ??= Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);
    const onRelease = (): void => this.#leave(run);
    const run: LocalRun = new LocalRun({
      request,
      directory,
      supervisor,
      started,
      buffer: this.#buffer,
      launchedAt,
      onRelease,
    });
    this.#follow(run);
    return run;
  }

  /** Nobody waits: from here on it goes alone. */
  #detach({ graceMs, place }: RunRequest, { directory, supervisor, started }: Launched): Run {
    supervisor.forget();
    const { id, path } = directory;
    return new DetachedRun({ id, directory: path, started, graceMs, place, poller: this.#poller });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#live].map((run) => run.stop('shutdown')));
  }

  /** Foreground runs end with this program; a handler is there only while there are any. */
  #follow(run: LocalRun): void {
    if (this.#live.size === 0) this.#listen('on');
    this.#live.add(run);
    void run.ended.then(() => this.#leave(run));
  }

  #leave(run: LocalRun): void {
    if (this.#live.delete(run) && this.#live.size === 0) this.#listen('off');
  }

  #listen(change: 'on' | 'off'): void {
    if (this.#onExit === 'keep') return;
    // Many instances in one program are no leak: the warning's limit moves with us.
    process.setMaxListeners(process.getMaxListeners() + (change === 'on' ? 1 : -1));
    process[change]('exit', this.#atExit);
  }

  readonly #atExit = (): void => {
    for (const run of this.#live) run.abandon();
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

/** A start that failed half-way: whoever got to run is killed, and the directory goes. */
function clearAway({ id, path }: RunDirectory, supervisor: number): void {
  const tree = new Tree({ id, pid: 0, supervisor, startTimes: null, startedAt: null, pipes: [] });
  for (const member of tree.members()) tree.signal(member, 'SIGKILL');
  rmSync(path, { recursive: true, force: true });
}

function freeBytes(directory: string): number {
  try {
    makeStore(directory);
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NacreError('store_unusable', { directory, reason }, { cause });
  }
}
