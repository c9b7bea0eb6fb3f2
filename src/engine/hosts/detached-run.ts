import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EndPoller } from '../run/detached/end-poller.ts';
import type { Ending, StopReason } from '../run/ending.ts';
import { RUN_FILES } from '../run/files.ts';
import type { RunPlace } from '../run/place.ts';
import type { EndedState } from '../run/record/judge.ts';
import { readPipeStatus } from '../run/record/pipe-status.ts';
import type { ProcessName, Run, RunEnd } from '../run/request.ts';
import type { Started } from '../run/supervise/supervisor.ts';
import { Grace, Nudge, stopTree } from '../run/tree/stop.ts';
import type { Surveyor } from '../run/tree/survey.ts';
import { signalProcess, Tree, type TreeRoot } from '../run/tree/tree.ts';
import { ReachableRun } from './reachable-run.ts';

export interface DetachedRunParts {
  readonly id: string;
  readonly directory: string;
  readonly started: Started;
  readonly graceMs: number;
  readonly poller: EndPoller;
  readonly place: RunPlace | undefined;
  readonly surveyor: Surveyor;
}

interface Stopped {
  readonly ending: Ending;
  readonly survivors: readonly ProcessName[];
}

/** How long we wait for the supervisor's word once its whole tree is gone. */
const LAST_WORD_MS = 500;

/**
 * A run that nobody waits for, on this machine: nothing is held open for it, and it is nobody's child here.
 *
 * There may be a thousand of them, so it remembers who it is and nothing more; the rest is on disk.
 */
export class DetachedRun extends ReachableRun implements Run {
  readonly id: string;
  readonly directory: string;
  readonly pid: number;
  readonly startedAt: number = Date.now();
  readonly ended: Promise<RunEnd>;
  readonly #supervisor: number;
  readonly #startTimes: Started['startTimes'];
  readonly #graceMs: number;
  readonly #poller: EndPoller;
  readonly #place: RunPlace | undefined;
  readonly #surveyor: Surveyor;
  readonly #grace = new Grace();
  #stopped: Promise<Stopped> | undefined;
  #resolve: (end: RunEnd) => void = () => undefined;

  constructor({ id, directory, started, graceMs, poller, place, surveyor }: DetachedRunParts) {
    super();
    this.id = id;
    this.directory = directory;
    this.pid = started.pid;
    this.#supervisor = started.supervisor;
    this.#startTimes = started.startTimes;
    this.#graceMs = graceMs;
    this.#poller = poller;
    this.#place = place;
    this.#surveyor = surveyor;
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
    new Tree(this.#root()).signalGroup(signal);
  }

  abandon(): void {
    signalProcess({ pid: this.#supervisor, startTime: this.#startTimes.supervisor }, 'SIGTERM');
  }

  /** Nobody waits for it as it is. */
  release(): void {}

  /** A stop has the last say on time: when the tree is gone, the end is ours to tell, whoever else is silent. */
  async #stopTree(reason: StopReason): Promise<Stopped> {
    writeReason(this.directory, reason);
    const root = this.#root();
    const tree = this.#place?.tree(root, this.#surveyor) ?? new Tree(root, this.#surveyor);
    const { forced, survivors } = await stopTree(tree, { grace: this.#grace, nudge: new Nudge() });
    const ending: Ending = { kind: 'stopped', reason, forced };
    this.#poller.hurry();
    setTimeout(() => void this.#finish({ ending, endedAt: Date.now() }), LAST_WORD_MS).unref();
    return { ending, survivors: survivors.map((stat) => tree.name(stat)) };
  }

  #root(): TreeRoot {
    const { id, pid } = this;
    return { id, pid, supervisor: this.#supervisor, startTimes: this.#startTimes, pipes: [] };
  }

  async #finish({ ending, endedAt }: Pick<EndedState, 'ending' | 'endedAt'>): Promise<void> {
    const stopped = await this.#stopped;
    for (const name of [RUN_FILES.spec, RUN_FILES.message])
      rmSync(join(this.directory, name), { force: true });
    this.#resolve({
      ending: stopped?.ending ?? ending,
      wallTimeMs: Math.max(0, Math.round(endedAt - this.startedAt)),
      leftovers: [],
      survivors: stopped?.survivors ?? [],
      pipeStatus: readPipeStatus(this.directory),
      notes: [],
    });
  }
}

/** The supervisor puts it into the ending. */
function writeReason(directory: string, reason: StopReason): void {
  try {
    writeFileSync(join(directory, RUN_FILES.reason), `${reason}\n`, { mode: 0o600 });
  } catch {
    // A full disk: then it ended by a signal.
  }
}
