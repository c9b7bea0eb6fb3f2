import type { RunStore, StoredRun } from '../../engine/run/record/store.ts';
import { type IndexedRun, IndexFile } from './index-file.ts';
import { isJob, toJobInfo } from './job-info.ts';

/** What is over does not change; the last word about an end is written within this time. */
const SETTLED_MS = 5_000;
/** A command that is longer stays where it is, and its run is looked at each time. */
const LONGEST_COMMAND = 2_000;
/** So many that are not in the file are looked at before they are added to it. */
const MOST_UNKNOWN = 100;
/** So many rows more than runs, and the file is written anew. */
const MOST_STALE = 5_000;

/**
 * All runs of a state directory, in a time that hardly grows with those that are over: they are remembered in one file.
 *
 * The file is nobody's only copy: what is not in it is looked up where it is.
 */
export class RunIndex {
  readonly #store: RunStore;
  readonly #file: IndexFile;
  /** Runs whose end was seen here, and that are still to be remembered. */
  #ended: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(store: RunStore, stateDirectory: string) {
    this.#store = store;
    this.#file = new IndexFile(stateDirectory);
  }

  /** Newest first. */
  list(): readonly IndexedRun[] {
    const known = this.#file.read();
    const settled: IndexedRun[] = [];
    const found: IndexedRun[] = [];
    for (const id of this.#store.ids()) {
      const run = known.get(id) ?? this.#look(id, settled);
      if (run !== null) found.push(run);
    }
    if (known.size > found.length + MOST_STALE)
      this.#file.replace([...found.filter(({ info }) => known.has(info.id)), ...settled]);
    else if (settled.length >= MOST_UNKNOWN) this.#file.add(settled);
    return found;
  }

  /** A run has ended: it is remembered when it has settled, if this program is still there. */
  note(id: string): void {
    this.#ended.push(id);
    this.#timer ??= setTimeout(() => this.#remember(), 2 * SETTLED_MS).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #remember(): void {
    const ids = this.#ended;
    const settled: IndexedRun[] = [];
    this.#ended = [];
    this.#timer = undefined;
    for (const id of ids) {
      const endedAt = this.#look(id, settled)?.info.endedAt ?? null;
      // One that ended just now gets another turn; one with a long command never settles.
      if (endedAt !== null && isRecent(endedAt)) this.note(id);
    }
    if (settled.length > 0) this.#file.add(settled);
  }

  #look(id: string, settled: IndexedRun[]): IndexedRun | null {
    const run = this.#store.find(id);
    if (run === null) return null;
    const entry = { info: toJobInfo(run), isJob: isJob(run) };
    if (isSettled(run)) settled.push(entry);
    return entry;
  }
}

function isSettled({ state, asked }: StoredRun): boolean {
  if (state.kind === 'running' || state.behind.length > 0 || state.ending.kind === 'lost') return false;
  return !isRecent(state.endedAt) && String(asked.command).length <= LONGEST_COMMAND;
}

function isRecent(endedAt: number): boolean {
  return Date.now() - endedAt <= SETTLED_MS;
}
