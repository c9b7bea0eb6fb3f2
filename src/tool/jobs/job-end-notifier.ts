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

interface JobEndNotifierOptions {
  readonly store: RunStore;
  readonly session: string;
  /** Lists all stored runs, of every program and session. */
  readonly runs: () => readonly IndexedRun[];
  readonly mask: () => SecretMask;
  readonly onJobEnd: ((end: JobEnd) => void | Promise<void>) | null;
}

/** Progress callback of one call. */
type OnUpdate = ((update: CallUpdate) => void) | undefined;

/** Poll interval for jobs that another program started. */
const ORPHAN_POLL_MS = 500;
/** A search for newly orphaned jobs takes place in one of so many polls. */
const POLLS_PER_ORPHAN_SEARCH = 4;
/** Delays between attempts after `onJobEnd` failed. */
const RETRY_MS = [1_000, 5_000, 30_000, 300_000];

/**
 * Reports the end of each job once, to one instance of its session.
 *
 * The acknowledgement is a file in the run directory, so it survives a crash. An end that is not acknowledged
 * is reported again.
 */
export class JobEndNotifier {
  readonly #options: JobEndNotifierOptions;
  /** `null` without an `onJobEnd` callback. */
  readonly #ownership: NotificationOwnership | null;
  /** Number of pending waits by job id. The result of a wait reports the end, so the notifier must not. */
  readonly #suppressed = new Map<string, number>();
  readonly #notifying = new Set<string>();
  /** Jobs that ended while their notification was suppressed. */
  readonly #ended = new Set<string>();
  /** Jobs whose end this instance reports: started here, or taken over from a program that has exited. */
  readonly #watched = new Map<string, 'own' | 'inherited'>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: JobEndNotifierOptions) {
    this.#options = options;
    this.#ownership = options.onJobEnd === null ? null : new NotificationOwnership(crypto.randomUUID());
    if (this.#ownership !== null)
      this.#watchOrphans(new OrphanedJobs({ ...options, ownership: this.#ownership }));
  }

  /** The owner mark for the records of runs that this instance starts; `null` when it reports no job ends. */
  get ownerMark(): string | null {
    return this.#ownership?.ownerMark ?? null;
  }

  /** Watches a job that this instance started. The call that started it gets a last update, too. */
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

  /** Holds back the notifications of these jobs until `resume`. */
  suppress(ids: readonly string[]): void {
    for (const id of ids) this.#suppressed.set(id, (this.#suppressed.get(id) ?? 0) + 1);
  }

  /**
   * Releases `suppress`. Ends in `seen` count as reported; other ends that happened meanwhile are reported now.
   */
  resume(ids: readonly string[], seen: readonly JobInfo[]): void {
    for (const { id, state } of seen) if (state !== 'running') this.acknowledge(id);
    for (const id of ids) {
      const left = (this.#suppressed.get(id) ?? 1) - 1;
      if (left > 0) this.#suppressed.set(id, left);
      else this.#suppressed.delete(id);
      if (left === 0 && this.#ended.delete(id)) this.#handleEnd(id);
    }
  }

  /** Stops watching and releases ownership, so that another instance can report the remaining jobs. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const id of this.#watched.keys()) this.#releaseOwnership(id);
    this.#watched.clear();
  }

  /** Marks the end of a job as reported in another way. */
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

  /** Sends the last update to the call that started the job. Without `onJobEnd` this counts as the report. */
  async #sendFinalUpdate(run: StoredRun, onUpdate: OnUpdate): Promise<void> {
    if (onUpdate === undefined) return;
    try {
      const { job, text } = await toJobEnd(run, this.#options.mask());
      const { id: runId, state } = job;
      const details = { async: { state, jobId: runId, type: 'bash' } };
      onUpdate({ runId, content: [{ type: 'text', text }], details });
      if (this.#options.onJobEnd === null) markEndAcknowledged(run.directory);
    } catch {
      // An error in the caller's callback must not break the notifier; the job can still be inspected.
    }
  }

  /** Polls for jobs of other programs that have exited. */
  #watchOrphans(orphans: OrphanedJobs): void {
    let polls = 0;
    const poll = (): void => {
      if (this.#closed) return;
      if (polls % POLLS_PER_ORPHAN_SEARCH === 0)
        for (const id of orphans.findNew()) if (!this.#watched.has(id)) this.#watched.set(id, 'inherited');
      polls += 1;
      this.#checkOrphans();
    };
    setImmediate(poll).unref();
    this.#timer = setInterval(poll, ORPHAN_POLL_MS).unref();
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

interface OrphanedJobsOptions {
  readonly store: RunStore;
  readonly session: string;
  /** Lists all stored runs, of every program and session. */
  readonly runs: () => readonly IndexedRun[];
  readonly ownership: NotificationOwnership;
}

/** The record of a run that ended longer ago does not change any more. */
const END_SETTLED_MS = 60_000;

/** A run directory without a record that is younger than this is being created. */
const RUN_CREATION_MS = 10_000;

/**
 * Finds jobs of the session whose owner has exited, so that this instance reports their end.
 *
 * An owner may exit at any time, and its exit can turn a foreground run into a job. Undecided runs are
 * therefore checked again.
 */
class OrphanedJobs {
  readonly #options: OrphanedJobsOptions;
  readonly #newRuns: NewRunDetector;
  readonly #undecided = new Set<string>();
  #isFirst = true;

  constructor(options: OrphanedJobsOptions) {
    this.#options = options;
    this.#newRuns = new NewRunDetector(options.store);
  }

  /** Returns the ids of jobs that this instance has taken over since the last call. */
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
    // The first search may meet thousands of ended runs: the index rules them out without reading each run
    // directory.
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
    // Runs of this instance are watched through `watchRun`.
    if (run.asked.session !== session || run.asked.teller === ownership.ownerMark) return 'settled';
    if (!isJob(run) || !needsNotification(run)) return store.hasLiveSupervisor(run) ? 'open' : 'settled';
    return ownership.claim(directory, run.asked.teller) ? 'ours' : 'open';
  }
}

/** Leftover processes of a call that returned its result need no notification: the result named them. */
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
/** Present when the owner named in the run record has given up ownership. */
const RELEASED_FILE = 'left';

/** Whether the end of the run in this directory has been reported and acknowledged. */
export function isEndAcknowledged(directory: string): boolean {
  return existsSync(join(directory, ACKNOWLEDGED_FILE));
}

/** Records that the end of a run was reported, so that no instance reports it again. */
export function markEndAcknowledged(directory: string): void {
  try {
    writeFileSync(join(directory, ACKNOWLEDGED_FILE), '', { mode: 0o600 });
  } catch {
    // The run was deleted, or the disk is full: the end may be reported a second time.
  }
}

/**
 * Decides which instance reports the end of a run: one at a time, and another one only after the owner has
 * exited.
 *
 * The run record names the instance that started the run, together with its process identity. A claim file in
 * the run directory names an instance that took over.
 */
export class NotificationOwnership {
  readonly #lockOwner: LockOwner;

  constructor(instance: string) {
    this.#lockOwner = new LockOwner(instance);
  }

  /** Identifies this instance in the records of the runs it starts. */
  get ownerMark(): string {
    return this.#lockOwner.token;
  }

  /**
   * Takes ownership of a notification and returns whether this instance has it. `first` is the owner mark of
   * the run record.
   */
  claim(directory: string, first: unknown = null): boolean {
    if (typeof first === 'string' && !existsSync(join(directory, RELEASED_FILE))) {
      if (first === this.ownerMark) return true;
      if (this.#lockOwner.isAlive(first)) return false;
    }
    return this.#lockOwner.tryAcquire(join(directory, CLAIM_FILE)) !== 'held';
  }

  /** Releases a claim, so that another instance can take over. */
  release(directory: string): void {
    this.#lockOwner.release(join(directory, CLAIM_FILE));
  }

  /** Releases ownership of a run whose record names this instance. */
  releaseOwn(directory: string): void {
    try {
      writeFileSync(join(directory, RELEASED_FILE), '', { mode: 0o600 });
    } catch {
      // The run was deleted; or the disk is full, and another instance takes over after this program exits.
    }
  }
}
