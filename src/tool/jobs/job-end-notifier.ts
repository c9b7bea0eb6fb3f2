import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Run } from '../../engine/hosts/host.ts';
import type { SecretMask } from '../../engine/output/secret-mask.ts';
import { LockOwner } from '../../engine/process/file-lock.ts';
import { RUN_FILES } from '../../engine/run/run-files.ts';
import { NewRunDetector, type RunStore, type StoredRun } from '../../engine/run/run-store.ts';
import type { CallUpdate } from '../contract/call-options.ts';
import type { JobEnd, JobInfo } from '../contract/job.ts';
import { toJobEnd } from './job-end.ts';
import { hasLiveProcesses, isJob } from './job-info.ts';
import type { IndexedRun } from './run-index.ts';

export interface JobEndNotifierOptions {
  readonly store: RunStore;
  readonly session: string;
  /** All runs there are, whoever started them. */
  readonly runs: () => readonly IndexedRun[];
  readonly mask: () => SecretMask;
  readonly onJobEnd: ((end: JobEnd) => void | Promise<void>) | null;
}

/** How a call hears of what it started. */
export type OnUpdate = ((update: CallUpdate) => void) | undefined;

/** How often a job that another program started is looked at. */
const ORPHAN_POLL_MS = 500;
/** So many such looks until the next one for jobs that have lost their program. */
const POLLS_PER_ORPHAN_SEARCH = 4;
/** Between attempts to tell somebody who failed to listen. */
const RETRY_MS = [1_000, 5_000, 30_000, 300_000];

/**
 * Tells the end of jobs: each once, to one instance of its session, and again only when nobody acknowledged it.
 *
 * What is acknowledged is on disk beside the run, so it holds after a crash, too.
 */
export class JobEndNotifier {
  readonly #options: JobEndNotifierOptions;
  /** Needed only where somebody is told. */
  readonly #ownership: NotificationOwnership | null;
  /** Jobs that somebody is waiting for at this moment: who waits is told by what the wait gives back. */
  readonly #suppressed = new Map<string, number>();
  readonly #notifying = new Set<string>();
  /** Jobs whose end came while they were held. */
  readonly #ended = new Set<string>();
  /** Jobs whose end is ours to tell: started here, or by a program that is gone. */
  readonly #watched = new Map<string, 'own' | 'inherited'>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: JobEndNotifierOptions) {
    this.#options = options;
    this.#ownership = options.onJobEnd === null ? null : new NotificationOwnership(crypto.randomUUID());
    if (this.#ownership !== null)
      this.#watchOrphans(new OrphanedJobs({ ...options, ownership: this.#ownership }));
  }

  /** Who will tell the end of a run that this instance starts, for its record; `null`: nobody. */
  get ownerMark(): string | null {
    return this.#ownership?.ownerMark ?? null;
  }

  /** A job of this instance; the call that started it hears of its end, too. */
  watchRun(run: Run, onUpdate: OnUpdate): void {
    const { onJobEnd, store } = this.#options;
    if (onJobEnd === null && onUpdate === undefined) return;
    if (this.#ownership !== null) this.#watched.set(run.id, 'own');
    void run.ended.then(() => {
      const stored = store.find(run.id);
      if (stored === null || this.#closed) return;
      void this.#sendFinalUpdate(stored, onUpdate);
      this.#handleEnd(run.id);
    });
  }

  /** While it is held nobody is told of the end of these jobs. */
  suppress(ids: readonly string[]): void {
    for (const id of ids) this.#suppressed.set(id, (this.#suppressed.get(id) ?? 0) + 1);
  }

  /** Those that were seen to have ended count as told; the others are told now if they ended meanwhile. */
  resume(ids: readonly string[], seen: readonly JobInfo[]): void {
    for (const { id, state } of seen) if (state !== 'running') this.acknowledge(id);
    for (const id of ids) {
      const left = (this.#suppressed.get(id) ?? 1) - 1;
      if (left > 0) this.#suppressed.set(id, left);
      else this.#suppressed.delete(id);
      if (left === 0 && this.#ended.delete(id)) this.#handleEnd(id);
    }
  }

  /** Whoever comes next may tell what is still going on. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const id of this.#watched.keys()) this.#releaseOwnership(id);
    this.#watched.clear();
  }

  /** Somebody was told in another way. */
  acknowledge(id: string): void {
    const directory = this.#options.store.directoryOf(id);
    if (!this.#notifying.has(id) && !isEndAcknowledged(directory)) markEndAcknowledged(directory);
  }

  #handleEnd(id: string): void {
    if (this.#suppressed.has(id)) this.#ended.add(id);
    else if (this.#watched.has(id)) void this.#notify(id);
  }

  async #notify(id: string): Promise<void> {
    const { store, mask, onJobEnd } = this.#options;
    const run = store.find(id);
    if (run === null || isEndAcknowledged(run.directory) || this.#notifying.has(id)) return;
    this.#notifying.add(id);
    const end = await toJobEnd(run, mask());
    for (let attempt = 0; !this.#closed; attempt += 1) {
      try {
        await onJobEnd?.(end);
        markEndAcknowledged(run.directory);
        break;
      } catch {
        await pause(RETRY_MS[attempt] ?? RETRY_MS.at(-1), undefined, { ref: false });
      }
    }
    this.#notifying.delete(id);
    if (!isEndAcknowledged(run.directory)) this.#releaseOwnership(id);
    this.#watched.delete(id);
  }

  #releaseOwnership(id: string): void {
    const directory = this.#options.store.directoryOf(id);
    if (this.#watched.get(id) === 'own') this.#ownership?.releaseOwn(directory);
    else this.#ownership?.release(directory);
  }

  /** The last update of the call that started it. Where nobody else is told, that counts as told. */
  async #sendFinalUpdate(run: StoredRun, onUpdate: OnUpdate): Promise<void> {
    if (onUpdate === undefined) return;
    try {
      const { job, text } = await toJobEnd(run, this.#options.mask());
      const { id: runId, state } = job;
      const details = { async: { state, jobId: runId, type: 'bash' } };
      onUpdate({ runId, content: [{ type: 'text', text }], details });
      if (this.#options.onJobEnd === null) markEndAcknowledged(run.directory);
    } catch {
      // Its bug must not become ours; the job can be looked at all the same.
    }
  }

  /** What other programs started, and nobody is left to tell of. */
  #watchOrphans(heritage: OrphanedJobs): void {
    let looks = 0;
    const look = (): void => {
      if (this.#closed) return;
      if (looks % POLLS_PER_ORPHAN_SEARCH === 0)
        for (const id of heritage.findNew()) if (!this.#watched.has(id)) this.#watched.set(id, 'inherited');
      looks += 1;
      this.#checkOrphans();
    };
    setImmediate(look).unref();
    this.#timer = setInterval(look, ORPHAN_POLL_MS).unref();
  }

  #checkOrphans(): void {
    for (const [id, from] of this.#watched) {
      if (from === 'own' || this.#notifying.has(id)) continue;
      const run = this.#options.store.find(id);
      if (run === null) this.#watched.delete(id);
      else if (!hasLiveProcesses(run)) this.#handleEnd(id);
    }
  }
}

export interface OrphanedJobsOptions {
  readonly store: RunStore;
  readonly session: string;
  /** All runs there are, of every session. */
  readonly runs: () => readonly IndexedRun[];
  readonly ownership: NotificationOwnership;
}

/** A run that ended longer ago has had its last word. */
const END_SETTLED_MS = 60_000;

/** A directory without a record is one that is being made, unless it is older. */
const RUN_CREATION_MS = 10_000;

/**
 * Jobs of the session whose end is to be told by us because nobody else is left to do it.
 *
 * Whoever started one may die at any time, and a run may become a job only by that; so what cannot be decided is looked at again.
 */
export class OrphanedJobs {
  readonly #options: OrphanedJobsOptions;
  readonly #newRuns: NewRunDetector;
  readonly #undecided = new Set<string>();
  #isFirst = true;

  constructor(options: OrphanedJobsOptions) {
    this.#options = options;
    this.#newRuns = new NewRunDetector(options.store);
  }

  /** Those that have become ours since the last look. */
  findNew(): readonly string[] {
    this.#addCandidates();
    const found: string[] = [];
    for (const id of this.#undecided) {
      const verdict = this.#decide(id);
      if (verdict === 'open') continue;
      this.#undecided.delete(id);
      if (verdict === 'ours') found.push(id);
    }
    return found;
  }

  #addCandidates(): void {
    const { runs, session } = this.#options;
    const fresh = this.#newRuns.poll();
    // The first time there may be thousands, most of them long over: a list knows that without looking at each.
    const ids = this.#isFirst
      ? runs().flatMap((run) => (mayNeedNotification(run, session) ? run.info.id : []))
      : fresh;
    this.#isFirst = false;
    for (const id of ids) this.#undecided.add(id);
  }

  #decide(id: string): 'ours' | 'settled' | 'open' {
    const { store, session, ownership } = this.#options;
    const directory = store.directoryOf(id);
    if (isEndAcknowledged(directory)) return 'settled';
    const run = store.find(id);
    if (run === null) return isRecentlyCreated(directory) ? 'open' : 'settled';
    // Our own are told by whoever started them here.
    if (run.asked.session !== session || run.asked.teller === ownership.ownerMark) return 'settled';
    if (!isJob(run) || !needsNotification(run)) return store.hasLiveSupervisor(run) ? 'open' : 'settled';
    return ownership.claim(directory, run.asked.teller) ? 'ours' : 'open';
  }
}

/** What a call that got its result left behind is not: its end was told then. */
function needsNotification({ asked, state, directory }: StoredRun): boolean {
  if (asked.background === true || existsSync(join(directory, RUN_FILES.backgroundLog))) return true;
  return state.kind === 'running' || state.callerGone;
}

function mayNeedNotification({ info, isJob: isOne }: IndexedRun, session: string): boolean {
  if (info.session !== session) return false;
  return isOne || info.endedAt === null || Date.now() - info.endedAt < END_SETTLED_MS;
}

function isRecentlyCreated(directory: string): boolean {
  return Date.now() - (statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? 0) < RUN_CREATION_MS;
}

const ACKNOWLEDGED_FILE = 'told';
const CLAIM_FILE = 'teller';
/** Whoever the record names does not tell it any more. */
const RELEASED_FILE = 'left';

/** Whether somebody has acknowledged the end of the run in this directory. */
export function isEndAcknowledged(directory: string): boolean {
  return existsSync(join(directory, ACKNOWLEDGED_FILE));
}

/** Nobody is told of it again. */
export function markEndAcknowledged(directory: string): void {
  try {
    writeFileSync(join(directory, ACKNOWLEDGED_FILE), '', { mode: 0o600 });
  } catch {
    // The run was swept away, or the disk is full: then it may be told once more.
  }
}

/**
 * Who tells the end of a run: one instance at a time, and another one only when that is gone.
 *
 * The record of a run names the instance that started it, and the process that lives in, so that a later one can see whether
 * it still does. A claim in the run's directory is of whoever has taken its place.
 */
export class NotificationOwnership {
  readonly #claimant: LockOwner;

  constructor(instance: string) {
    this.#claimant = new LockOwner(instance);
  }

  /** Goes into the record of each run that this instance starts. */
  get ownerMark(): string {
    return this.#claimant.token;
  }

  /** Whether it is ours to tell. `first` is what the run's record says. */
  claim(directory: string, first: unknown = null): boolean {
    if (typeof first === 'string' && !existsSync(join(directory, RELEASED_FILE))) {
      if (first === this.ownerMark) return true;
      if (this.#claimant.isAlive(first)) return false;
    }
    return this.#claimant.tryAcquire(join(directory, CLAIM_FILE));
  }

  /** Leaves it to whoever comes next. */
  release(directory: string): void {
    this.#claimant.release(join(directory, CLAIM_FILE));
  }

  /** The same for a run whose record names us. */
  releaseOwn(directory: string): void {
    try {
      writeFileSync(join(directory, RELEASED_FILE), '', { mode: 0o600 });
    } catch {
      // The run was swept away; or the disk is full, and it is told once this program is gone.
    }
  }
}
