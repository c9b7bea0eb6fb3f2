import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INDEX_FILE, RUN_FILES } from '../../engine/run/files.ts';
import { parseEndingLine } from '../../engine/run/record/ending-file.ts';
import { toRunTime } from '../../engine/run/record/id.ts';
import { toEndedState } from '../../engine/run/record/judge.ts';
import { type JobInfo, toFate } from './job-info.ts';

/** A run in a list. */
export interface IndexedRun {
  readonly info: JobInfo;
  readonly isJob: boolean;
}

/** What is known of a run before it starts. */
export interface ListedRun {
  readonly session: string;
  readonly name: string | null;
  readonly label: string;
  readonly command: string;
  readonly cwd: string;
  readonly takesInput: boolean;
  readonly background: boolean;
}

/** One run as it stands in the file: what can be had from elsewhere is left out. */
type Row = readonly [
  id: string,
  session: string,
  name: string | null,
  label: string,
  /** `null`: the same as the label. */
  command: string | null,
  cwd: string,
  takesInput: boolean,
  background: boolean,
  /** As the supervisor wrote it. */
  ending: string,
  pid: number,
  restarts: number,
  hasLog: 0 | 1,
  isGone: 0 | 1,
  /** Absent where the run's name tells it: its shell may be older than the run. */
  startedAt?: number,
];

/** The first part of a row, which the supervisor of the run completes; values of an array, without its brackets. */
export function renderListed(run: ListedRun): string {
  const { session, name, label, command, cwd, takesInput, background } = run;
  const values = [session, name, label, command === label ? null : command, cwd, takesInput, background];
  return JSON.stringify(values).slice(1, -1);
}

/** The same run under another label. */
export function relabel(listed: string, label: string): string {
  const [session, name, before, command, ...rest] = JSON.parse(`[${listed}]`) as unknown[];
  return JSON.stringify([session, name, label, command ?? before, ...rest]).slice(1, -1);
}

/** A row that nobody wrote when the run ended. */
export interface LateRow extends ListedRun {
  readonly id: string;
  readonly ending: string;
  readonly pid: number;
  readonly restarts: number;
  readonly hasLog: boolean;
  readonly isGone: boolean;
  readonly startedAt: number;
}

/**
 * What is remembered of runs that are over, a row each.
 *
 * The supervisor of each run adds its own, in one write; a row that was torn is passed over. The name changes with the form of a row.
 */
export class IndexFile {
  readonly #file: string;
  readonly #runs: string;

  constructor(stateDirectory: string) {
    this.#file = join(stateDirectory, INDEX_FILE);
    this.#runs = join(stateDirectory, 'runs');
  }

  read(): ReadonlyMap<string, IndexedRun> {
    const found = new Map<string, IndexedRun>();
    for (const row of parseRows(readText(this.#file))) {
      const run = toRun(row, this.#runs);
      if (run !== null) found.set(row[0], run);
    }
    return found;
  }

  add(runs: readonly LateRow[]): void {
    try {
      appendFileSync(this.#file, runs.map(renderRow).join(''), { mode: 0o600 });
    } catch {
      // Lists are slower without it, and nothing else.
    }
  }

  /** Forgets all rows but those of these runs. */
  keep(ids: ReadonlySet<string>): void {
    const draft = `${this.#file}.${process.pid}`;
    const rows = new Map(parseRows(readText(this.#file)).map((row) => [row[0], row]));
    const kept = [...rows.values()].filter(([id]) => ids.has(id));
    try {
      writeFileSync(draft, kept.map((row) => `${JSON.stringify(row)},\n`).join(''), { mode: 0o600 });
      renameSync(draft, this.#file);
    } catch {
      // As above.
    }
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** All at once, which is much faster; row by row where one of them is torn. */
function parseRows(text: string): readonly Row[] {
  try {
    return (JSON.parse(`[${text}0]`) as [...Row[], 0]).slice(0, -1) as Row[];
  } catch {
    return text.split('\n').flatMap(parseRow);
  }
}

function parseRow(line: string): Row[] {
  try {
    return [JSON.parse(line.replace(/,$/, '')) as Row];
  } catch {
    return [];
  }
}

function renderRow({ id, ending, pid, restarts, hasLog, isGone, startedAt, ...listed }: LateRow): string {
  return `["${id}",${renderListed(listed)},"${ending}",${pid},${restarts},${+hasLog},${+isGone},${startedAt}],\n`;
}

/** Spelled out: spreading costs three times as much, and there are thousands of them. */
function toRun(row: Row, runs: string): IndexedRun | null {
  const record = typeof row[8] === 'string' ? parseEndingLine(row[8]) : null;
  if (record === null) return null;
  const fate = toFate({ state: toEndedState(record) });
  const hasLog = row[7] || row[11] === 1;
  const info: JobInfo = {
    id: row[0],
    session: row[1],
    name: row[2],
    restarts: row[10],
    label: row[3],
    command: row[4] ?? row[3],
    cwd: row[5],
    state: fate.state,
    status: fate.status,
    exitCode: fate.exitCode,
    signal: fate.signal,
    lostBecause: fate.lostBecause,
    pid: row[9],
    behind: fate.behind,
    takesInput: row[6],
    startedAt: row[13] ?? toRunTime(row[0]),
    endedAt: fate.endedAt,
    outputFile: `${runs}/${row[0]}/${hasLog ? RUN_FILES.log : RUN_FILES.out}`,
  };
  return { info, isJob: hasLog || row[12] === 1 };
}
