import { setTimeout as pause } from 'node:timers/promises';
import type { Run } from '../../../engine/hosts/host.ts';
import type { Mask } from '../../../engine/output/mask.ts';
import type { RunStore, StoredRun } from '../../../engine/run/record/store.ts';
import type { CallUpdate } from '../../call-options.ts';
import type { IndexedRun } from '../../runs/index-file.ts';
import { isLive, type JobInfo } from '../../runs/job-info.ts';
import { Heritage } from './heritage.ts';
import { type JobEnd, toJobEnd } from './job-end.ts';
import { isTold, Lease, markTold } from './told.ts';

export interface TellerOptions {
  readonly store: RunStore;
  readonly session: string;
  /** All runs there are, whoever started them. */
  readonly runs: () => readonly IndexedRun[];
  readonly mask: () => Mask;
  readonly onJobEnd: ((end: JobEnd) => void | Promise<void>) | null;
}

/** How a call hears of what it started. */
export type OnUpdate = ((update: CallUpdate) => void) | undefined;

/** How often a job that another program started is looked at. */
const LOOK_EVERY_MS = 500;
/** So many such looks until the next one for jobs that have lost their program. */
const LOOKS_UNTIL_NEXT = 4;
/** Between attempts to tell somebody who failed to listen. */
const RETRY_MS = [1_000, 5_000, 30_000, 300_000];

/**
 * Tells the end of jobs: each once, to one instance of its session, and again only when nobody acknowledged it.
 *
 * What is acknowledged is on disk beside the run, so it holds after a crash, too.
 */
export class Teller {
  readonly #options: TellerOptions;
  /** Needed only where somebody is told. */
  readonly #lease: Lease | null;
  /** Jobs that somebody is waiting for at this moment: who waits is told by what the wait gives back. */
  readonly #held = new Map<string, number>();
  readonly #telling = new Set<string>();
  /** Jobs whose end came while they were held. */
  readonly #ended = new Set<string>();
  /** Jobs whose end is ours to tell: started here, or by a program that is gone. */
  readonly #ours = new Map<string, 'own' | 'inherited'>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: TellerOptions) {
    this.#options = options;
    this.#lease = options.onJobEnd === null ? null : new Lease(crypto.randomUUID());
    if (this.#lease !== null) this.#lookAround(new Heritage({ ...options, lease: this.#lease }));
  }

  /** Who will tell the end of a run that this instance starts, for its record; `null`: nobody. */
  get mark(): string | null {
    return this.#lease?.mark ?? null;
  }

  /** A job of this instance; the call that started it hears of its end, too. */
  follow(run: Run, onUpdate: OnUpdate): void {
    const { onJobEnd, store } = this.#options;
    if (onJobEnd === null && onUpdate === undefined) return;
    if (this.#lease !== null) this.#ours.set(run.id, 'own');
    void run.ended.then(() => {
      const stored = store.find(run.id);
      if (stored === null || this.#closed) return;
      void this.#update(stored, onUpdate);
      this.#end(run.id);
    });
  }

  /** While it is held nobody is told of the end of these jobs. */
  hold(ids: readonly string[]): void {
    for (const id of ids) this.#held.set(id, (this.#held.get(id) ?? 0) + 1);
  }

  /** Those that were seen to have ended count as told; the others are told now if they ended meanwhile. */
  letGo(ids: readonly string[], seen: readonly JobInfo[]): void {
    for (const { id, state } of seen) if (state !== 'running') this.acknowledge(id);
    for (const id of ids) {
      const left = (this.#held.get(id) ?? 1) - 1;
      if (left > 0) this.#held.set(id, left);
      else this.#held.delete(id);
      if (left === 0 && this.#ended.delete(id)) this.#end(id);
    }
  }

  /** Whoever comes next may tell what is still going on. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const id of this.#ours.keys()) this.#letOthers(id);
    this.#ours.clear();
  }

  /** Somebody was told in another way. */
  acknowledge(id: string): void {
    const directory = this.#options.store.directoryOf(id);
    if (!this.#telling.has(id) && !isTold(directory)) markTold(directory);
  }

  #end(id: string): void {
    if (this.#held.has(id)) this.#ended.add(id);
    else if (this.#ours.has(id)) void this.#tell(id);
  }

  async #tell(id: string): Promise<void> {
    const { store, mask, onJobEnd } = this.#options;
    const run = store.find(id);
    if (run === null || isTold(run.directory) || this.#telling.has(id)) return;
    this.#telling.add(id);
    const end = await toJobEnd(run, mask());
    for (let attempt = 0; !this.#closed; attempt += 1) {
      try {
        await onJobEnd?.(end);
        markTold(run.directory);
        break;
      } catch {
        await pause(RETRY_MS[attempt] ?? RETRY_MS.at(-1), undefined, { ref: false });
      }
    }
    this.#telling.delete(id);
    if (!isTold(run.directory)) this.#letOthers(id);
    this.#ours.delete(id);
  }

  #letOthers(id: string): void {
    const directory = this.#options.store.directoryOf(id);
    if (this.#ours.get(id) === 'own') this.#lease?.leave(directory);
    else this.#lease?.give(directory);
  }

  /** The last update of the call that started it. Where nobody else is told, that counts as told. */
  async #update(run: StoredRun, onUpdate: OnUpdate): Promise<void> {
    if (onUpdate === undefined) return;
    try {
      const { job, text } = await toJobEnd(run, this.#options.mask());
      const { id: runId, state } = job;
      const details = { async: { state, jobId: runId, type: 'bash' } };
      onUpdate({ runId, content: [{ type: 'text', text }], details });
      if (this.#options.onJobEnd === null) markTold(run.directory);
    } catch {
      // Its bug must not become ours; the job can be looked at all the same.
    }
  }

  /** What other programs started, and nobody is left to tell of. */
  #lookAround(heritage: Heritage): void {
    let looks = 0;
    const look = (): void => {
      if (this.#closed) return;
      if (looks % LOOKS_UNTIL_NEXT === 0)
        for (const id of heritage.look()) if (!this.#ours.has(id)) this.#ours.set(id, 'inherited');
      looks += 1;
      this.#lookAtInherited();
    };
    setImmediate(look).unref();
    this.#timer = setInterval(look, LOOK_EVERY_MS).unref();
  }

  #lookAtInherited(): void {
    for (const [id, from] of this.#ours) {
      if (from === 'own' || this.#telling.has(id)) continue;
      const run = this.#options.store.find(id);
      if (run === null) this.#ours.delete(id);
      else if (!isLive(run)) this.#end(id);
    }
  }
}
