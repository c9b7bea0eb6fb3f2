import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunStore, StoredRun } from '../../engine/run/store.ts';
import { isJob, type JobInfo, toJobInfo } from './job-info.ts';

/** A run in a list. */
export interface IndexedRun {
  readonly info: JobInfo;
  readonly isJob: boolean;
}

interface IndexFile {
  readonly version: number;
  readonly runs: readonly IndexedRun[];
}

/** What is over does not change; the last word about an end is written within this time. */
const SETTLED_MS = 5_000;
/** A command that is longer stays where it is, and its run is looked at each time. */
const LONGEST_COMMAND = 2_000;
/** Changes whenever what is remembered of a run does. */
const VERSION = 1;
/** So many that are not in the file are looked at before it is written again. */
const MOST_UNKNOWN = 200;

/**
 * All runs of a state directory, in a time that hardly grows with those that are over: they are remembered in one file.
 *
 * The file is nobody's only copy: whatever is wrong with it, it is made again from the runs themselves.
 */
export class RunIndex {
  readonly #store: RunStore;
  readonly #file: string;

  constructor(store: RunStore, stateDirectory: string) {
    this.#store = store;
    this.#file = join(stateDirectory, 'runs.index');
  }

  /** Newest first. */
  list(): readonly IndexedRun[] {
    const known = this.#read();
    const found: IndexedRun[] = [];
    const settled: IndexedRun[] = [];
    const look = (id: string): void => {
      const run = this.#store.find(id);
      if (run === null) return;
      const entry = { info: toJobInfo(run), isJob: isJob(run) };
      found.push(entry);
      if (isSettled(run)) settled.push(entry);
    };
    for (const id of this.#store.ids()) {
      const remembered = known.get(id);
      if (remembered === undefined) look(id);
      else found.push(remembered);
    }
    if (settled.length >= MOST_UNKNOWN) {
      const remembered = found.filter(({ info }) => known.has(info.id));
      this.#write([...remembered, ...settled]);
    }
    return found;
  }

  #read(): ReadonlyMap<string, IndexedRun> {
    try {
      const { version, runs } = JSON.parse(readFileSync(this.#file, 'utf8')) as IndexFile;
      return new Map(version === VERSION ? runs.map((run) => [run.info.id, run]) : []);
    } catch {
      return new Map();
    }
  }

  #write(runs: readonly IndexedRun[]): void {
    const draft = `${this.#file}.${process.pid}`;
    try {
      writeFileSync(draft, JSON.stringify({ version: VERSION, runs } satisfies IndexFile), { mode: 0o600 });
      renameSync(draft, this.#file);
    } catch {
      // Slower without it, and nothing else.
    }
  }
}

function isSettled({ state, asked }: StoredRun): boolean {
  if (state.kind === 'running' || state.behind.length > 0 || state.ending.kind === 'lost') return false;
  return Date.now() - state.endedAt > SETTLED_MS && String(asked.command).length <= LONGEST_COMMAND;
}
