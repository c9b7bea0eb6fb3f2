import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../../engine/process/state-files.ts';
import { parseExitRecordLine } from '../../engine/run/exit-record.ts';
import { RUN_FILES, RUN_INDEX_FILE, toRunTime } from '../../engine/run/run-files.ts';
import { toEndedRunState } from '../../engine/run/run-state.ts';
import type { RunStore, StoredRun } from '../../engine/run/run-store.ts';
import type { JobInfo } from '../contract/job.ts';
import { isJob, toJobInfo, toJobState } from './job-info.ts';

/** A stored run as the index lists it. */
export interface IndexedRun {
  readonly info: JobInfo;
  readonly isJob: boolean;
}

/** Fields of an index row that are known before the run starts. */
interface IndexRowFields {
  readonly session: string;
  readonly name: string | null;
  readonly label: string;
  readonly command: string;
  readonly cwd: string;
  readonly takesInput: boolean;
  readonly background: boolean;
}

/** One row of the index file. */
type IndexRow = readonly [
  id: string,
  session: string,
  name: string | null,
  label: string,
  /** `null`: same as the label. */
  command: string | null,
  cwd: string,
  takesInput: boolean,
  background: boolean,
  /** The exit record line of the supervisor. */
  ending: string,
  pid: number,
  restarts: number,
  hasLog: 0 | 1,
  isGone: 0 | 1,
  /** Absent when the run id contains it. A warm shell may be older than its run. */
  startedAt?: number,
];

/**
 * Renders the first fields of an index row as JSON values without brackets; the supervisor appends the others.
 */
export function renderIndexFields(run: IndexRowFields): string {
  const { session, name, label, command, cwd, takesInput, background } = run;
  const values = [session, name, label, command === label ? null : command, cwd, takesInput, background];
  return JSON.stringify(values).slice(1, -1);
}

/** Replaces the label in rendered index fields. */
export function relabelIndexFields(listed: string, label: string): string {
  const [session, name, before, command, ...rest] = JSON.parse(`[${listed}]`) as unknown[];
  return JSON.stringify([session, name, label, command ?? before, ...rest]).slice(1, -1);
}

/** An index row that the supervisor of the run did not write. */
interface MissingIndexRow extends IndexRowFields {
  readonly id: string;
  readonly ending: string;
  readonly pid: number;
  readonly restarts: number;
  readonly hasLog: boolean;
  readonly isGone: boolean;
  readonly startedAt: number;
}

/**
 * The index file with one row per ended run.
 *
 * The supervisor of each run appends its row in one write; incomplete rows are skipped. The file name changes
 * with the row format.
 */
class RunIndexFile {
  readonly #file: string;
  readonly #runs: string;

  constructor(stateDirectory: string) {
    this.#file = join(stateDirectory, RUN_INDEX_FILE);
    this.#runs = join(stateDirectory, 'runs');
  }

  read(): ReadonlyMap<string, IndexedRun> {
    const found = new Map<string, IndexedRun>();
    for (const row of parseIndexRows(readFileOrEmpty(this.#file))) {
      const run = toIndexedRun(row, this.#runs);
      if (run !== null) found.set(row[0], run);
    }
    return found;
  }

  add(runs: readonly MissingIndexRow[]): void {
    try {
      appendFileSync(this.#file, runs.map(renderIndexRow).join(''), { mode: 0o600 });
    } catch {
      // Best effort: the index is only a cache.
    }
  }

  /** Deletes the rows of all other runs. */
  retain(ids: ReadonlySet<string>): void {
    const rows = new Map(parseIndexRows(readFileOrEmpty(this.#file)).map((row) => [row[0], row]));
    const kept = [...rows.values()].filter(([id]) => ids.has(id));
    try {
      writeFileAtomically(this.#file, kept.map((row) => `${JSON.stringify(row)},\n`).join(''));
    } catch {
      // Best effort: the index is only a cache.
    }
  }
}

function readFileOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Parses all rows at once, which is much faster; row by row when one of them is damaged. */
function parseIndexRows(text: string): readonly IndexRow[] {
  try {
    return (JSON.parse(`[${text}0]`) as [...IndexRow[], 0]).slice(0, -1) as IndexRow[];
  } catch {
    return text.split('\n').flatMap(parseIndexRow);
  }
}

function parseIndexRow(line: string): IndexRow[] {
  try {
    return [JSON.parse(line.replace(/,$/, '')) as IndexRow];
  } catch {
    return [];
  }
}

function renderIndexRow({
  id,
  ending,
  pid,
  restarts,
  hasLog,
  isGone,
  startedAt,
  ...listed
}: MissingIndexRow): string {
  return `["${id}",${renderIndexFields(listed)},"${ending}",${pid},${restarts},${+hasLog},${+isGone},${startedAt}],\n`;
}

/** No object spread here: it takes three times as long, and there are thousands of rows. */
function toIndexedRun(row: IndexRow, runs: string): IndexedRun | null {
  const record = typeof row[8] === 'string' ? parseExitRecordLine(row[8]) : null;
  if (record === null) return null;
  const end = toJobState({ state: toEndedRunState(record) });
  const hasLog = row[7] || row[11] === 1;
  const info: JobInfo = {
    id: row[0],
    session: row[1],
    name: row[2],
    restarts: row[10],
    label: row[3],
    command: row[4] ?? row[3],
    cwd: row[5],
    state: end.state,
    status: end.status,
    exitCode: end.exitCode,
    signal: end.signal,
    lostBecause: end.lostBecause,
    pid: row[9],
    leftoverPids: end.leftoverPids,
    takesInput: row[6],
    startedAt: row[13] ?? toRunTime(row[0]),
    endedAt: end.endedAt,
    outputFile: `${runs}/${row[0]}/${hasLog ? RUN_FILES.backgroundLog : RUN_FILES.out}`,
  };
  return { info, isJob: hasLog || row[12] === 1 };
}

/** The record of a run that ended longer ago does not change any more. */
const INDEX_SETTLED_MS = 5_000;
/** Runs with longer commands are not indexed. */
const MAX_INDEXED_COMMAND_LENGTH = 2_000;
/** Minimum number of missing rows that are appended together. */
const MIN_ROWS_TO_APPEND = 100;
/** The file is rewritten when it has this many rows more than there are runs. */
const MAX_STALE_ROWS = 5_000;

/**
 * Lists all runs of a state directory quickly by means of an index file.
 *
 * The index is a cache: a run without a row is read from its run directory.
 */
export class RunIndex {
  readonly #store: RunStore;
  readonly #file: RunIndexFile;

  constructor(store: RunStore, stateDirectory: string) {
    this.#store = store;
    this.#file = new RunIndexFile(stateDirectory);
  }

  /** Lists all runs, newest first. */
  list(): readonly IndexedRun[] {
    const known = this.#file.read();
    const ids = this.#store.ids();
    const missing: MissingIndexRow[] = [];
    const found = ids.flatMap((id) => known.get(id) ?? this.#readRun(id, missing) ?? []);
    this.#compactIfStale(ids, known.size);
    if (missing.length >= MIN_ROWS_TO_APPEND) this.#file.add(missing);
    return found;
  }

  /** Removes stale rows, also in programs that never list runs. */
  compact(): void {
    this.#compactIfStale(this.#store.ids(), this.#file.read().size);
  }

  #compactIfStale(ids: readonly string[], rows: number): void {
    if (rows > ids.length + MAX_STALE_ROWS) this.#file.retain(new Set(ids));
  }

  #readRun(id: string, missing: MissingIndexRow[]): IndexedRun | null {
    const run = this.#store.find(id);
    if (run === null) return null;
    const info = toJobInfo(run);
    if (isSettled(run)) missing.push(toMissingIndexRow(run, info));
    return { info, isJob: isJob(run) };
  }
}

function toMissingIndexRow({ directory, asked }: StoredRun, info: IndexedRun['info']): MissingIndexRow {
  return {
    ...info,
    ending: readFileSync(join(directory, RUN_FILES.exitRecord), 'latin1').split('  ')[0] ?? '',
    pid: info.pid ?? 0,
    background: asked.background === true,
    hasLog: existsSync(join(directory, RUN_FILES.backgroundLog)),
    isGone: existsSync(join(directory, RUN_FILES.callerGone)),
  };
}

function isSettled({ state, asked, pid }: StoredRun): boolean {
  if (state.kind === 'running' || state.leftoverPids.length > 0 || state.ending.kind === 'lost') return false;
  if (Date.now() - state.endedAt <= INDEX_SETTLED_MS) return false;
  return pid !== null && String(asked.command).length <= MAX_INDEXED_COMMAND_LENGTH;
}
