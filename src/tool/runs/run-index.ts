import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_FILES } from '../../engine/run/files.ts';
import type { RunStore, StoredRun } from '../../engine/run/record/store.ts';
import { type IndexedRun, IndexFile, type LateRow } from './index-file.ts';
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

  constructor(store: RunStore, stateDirectory: string) {
    this.#store = store;
    this.#file = new IndexFile(stateDirectory);
  }

  /** Newest first. */
  list(): readonly IndexedRun[] {
    const known = this.#file.read();
    const ids = this.#store.ids();
    const late: LateRow[] = [];
    const found = ids.flatMap((id) => known.get(id) ?? this.#look(id, late) ?? []);
    this.#forget(ids, known.size);
    if (late.length >= MOST_UNKNOWN) this.#file.add(late);
    return found;
  }

  /** Rows of runs that were swept away do not pile up, even where nobody ever lists them. */
  tidy(): void {
    this.#forget(this.#store.ids(), this.#file.read().size);
  }

  #forget(ids: readonly string[], rows: number): void {
    if (rows > ids.length + MOST_STALE) this.#file.keep(new Set(ids));
  }

  #look(id: string, late: LateRow[]): IndexedRun | null {
    const run = this.#store.find(id);
    if (run === null) return null;
    const info = toJobInfo(run);
    if (isSettled(run)) late.push(toLateRow(run, info));
    return { info, isJob: isJob(run) };
  }
}

function toLateRow({ directory, asked }: StoredRun, info: IndexedRun['info']): LateRow {
  const { id, session, name, restarts, label, command, cwd, takesInput, pid } = info;
  const ending = readFileSync(join(directory, RUN_FILES.ending), 'latin1').split('  ')[0] ?? '';
  return {
    ...{ id, session, name, restarts, label, command, cwd, takesInput, ending, pid: pid ?? 0 },
    background: asked.background === true,
    hasLog: existsSync(join(directory, RUN_FILES.log)),
    isGone: existsSync(join(directory, RUN_FILES.gone)),
    startedAt: info.startedAt,
  };
}

function isSettled({ state, asked, pid }: StoredRun): boolean {
  if (state.kind === 'running' || state.behind.length > 0 || state.ending.kind === 'lost') return false;
  if (Date.now() - state.endedAt <= SETTLED_MS) return false;
  return pid !== null && String(asked.command).length <= LONGEST_COMMAND;
}
