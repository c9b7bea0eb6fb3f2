import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_FILES } from '../../engine/run/files.ts';
import type { JobInfo } from './job-info.ts';

/** A run in a list. */
export interface IndexedRun {
  readonly info: JobInfo;
  readonly isJob: boolean;
}

/** One run as it stands in the file: what can be had from elsewhere is left out. */
type Row = readonly [
  id: string,
  session: string,
  name: string | null,
  restarts: number,
  label: string,
  /** `null`: the same as the label. */
  command: string | null,
  cwd: string,
  state: JobInfo['state'],
  status: JobInfo['status'],
  exitCode: number | null,
  signal: string | null,
  pid: number | null,
  takesInput: boolean,
  startedAt: number,
  endedAt: number | null,
  file: string,
  isJob: boolean,
];

/**
 * What is remembered of runs that are over, a row each.
 *
 * Any program may add rows at any time, in one write; one that was torn is passed over. The name changes with the form of a row.
 */
export class IndexFile {
  readonly #file: string;
  readonly #runs: string;

  constructor(stateDirectory: string) {
    this.#file = join(stateDirectory, 'runs-1.index');
    this.#runs = join(stateDirectory, 'runs');
  }

  read(): ReadonlyMap<string, IndexedRun> {
    const found = new Map<string, IndexedRun>();
    for (const row of parseRows(readText(this.#file))) found.set(row[0], toRun(row, this.#runs));
    return found;
  }

  add(runs: readonly IndexedRun[]): void {
    try {
      appendFileSync(this.#file, runs.map(renderRow).join(''), { mode: 0o600 });
    } catch {
      // Lists are slower without it, and nothing else.
    }
  }

  /** Forgets everything but these. */
  replace(runs: readonly IndexedRun[]): void {
    const draft = `${this.#file}.${process.pid}`;
    try {
      writeFileSync(draft, runs.map(renderRow).join(''), { mode: 0o600 });
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

function renderRow({ info, isJob }: IndexedRun): string {
  const { id, session, name, restarts, label, command, cwd, state, status, exitCode, signal } = info;
  const { pid, takesInput, startedAt, endedAt, outputFile } = info;
  const file = outputFile.endsWith(RUN_FILES.log) ? RUN_FILES.log : RUN_FILES.out;
  const row: Row = [
    ...([id, session, name, restarts, label, command === label ? null : command, cwd] as const),
    ...([state, status, exitCode, signal, pid, takesInput, startedAt, endedAt, file, isJob] as const),
  ];
  return `${JSON.stringify(row)},\n`;
}

/** Spelled out: spreading costs three times as much, and there are thousands of them. */
function toRun(row: Row, runs: string): IndexedRun {
  const info: JobInfo = {
    id: row[0],
    session: row[1],
    name: row[2],
    restarts: row[3],
    label: row[4],
    command: row[5] ?? row[4],
    cwd: row[6],
    state: row[7],
    status: row[8],
    exitCode: row[9],
    signal: row[10],
    lostBecause: null,
    pid: row[11],
    behind: [],
    takesInput: row[12],
    startedAt: row[13],
    endedAt: row[14],
    outputFile: `${runs}/${row[0]}/${row[15]}`,
  };
  return { info, isJob: row[16] };
}
