import { columnsOf, type JobInfo } from '../../index.ts';
import type { JobRow } from './job-row.ts';

/** One column of a table of jobs. */
export interface JobColumn {
  readonly key: 'name' | 'state' | 'age' | 'cpu' | 'memory' | 'ports' | 'lastLine';
  readonly title: string;
  readonly most: number;
  readonly side: 'left' | 'right';
  /** Left out where there is less room. */
  readonly from: number;
}

/** A column and how wide it is. */
export interface PlacedColumn {
  readonly column: JobColumn;
  readonly width: number;
}

const COLUMNS: readonly JobColumn[] = [
  { key: 'name', title: 'NAME', most: 60, side: 'left', from: 0 },
  { key: 'state', title: 'STATE', most: 16, side: 'left', from: 0 },
  { key: 'age', title: 'AGE', most: 5, side: 'right', from: 36 },
  { key: 'cpu', title: 'CPU', most: 6, side: 'right', from: 60 },
  { key: 'memory', title: 'MEMORY', most: 9, side: 'right', from: 60 },
  { key: 'ports', title: 'PORTS', most: 11, side: 'left', from: 50 },
  { key: 'lastLine', title: 'LAST LINE', most: Number.POSITIVE_INFINITY, side: 'left', from: 36 },
];

/** Columns that are left out where no job has anything to say in them. */
const MAY_BE_EMPTY: ReadonlySet<JobColumn['key']> = new Set(['cpu', 'memory', 'ports']);

/** Of what the other columns leave, the name takes this much before the last line is cut. */
const SHARE_OF_NAME = 0.45;

/** Between two columns. */
export const COLUMN_GAP = 2;

/**
 * The columns that fit, in their order. All jobs count and not only those on the screen: nothing moves when somebody scrolls.
 */
export function placeColumns(rows: readonly JobRow[], room: number): readonly PlacedColumn[] {
  const widest = (key: JobColumn['key']): number =>
    rows.reduce((most, row) => Math.max(most, columnsOf(cellOf(row, key))), 0);
  const wanted = COLUMNS.filter(({ from }) => room >= from)
    .map((column) => ({ column, content: widest(column.key) }))
    .filter(({ column: { key }, content }) => content > 0 || !MAY_BE_EMPTY.has(key))
    .map(({ column, content }) => ({
      column,
      width: Math.min(column.most, Math.max(column.title.length, content)),
    }));
  const fixed = wanted.filter(({ column: { key } }) => key !== 'name' && key !== 'lastLine');
  const used = fixed.reduce((sum, { width }) => sum + width, 0) + COLUMN_GAP * (wanted.length - 1);
  const left = Math.max(4, room - used);
  const last = wanted.find(({ column: { key } }) => key === 'lastLine')?.width ?? 0;
  const name = Math.min(wanted[0]?.width ?? 0, Math.max(Math.floor(left * SHARE_OF_NAME), left - last));
  const widths: Partial<Record<JobColumn['key'], number>> = { name, lastLine: Math.max(0, left - name) };
  return wanted.map(({ column, width }) => ({ column, width: widths[column.key] ?? width }));
}

/** What a row says in a column. */
export function cellOf(row: JobRow, key: JobColumn['key']): string {
  return key === 'state' ? `${SIGNS[kindOf(row)]} ${row.state}` : row[key];
}

export type JobKind = 'running' | 'asks' | 'completed' | 'failed' | 'other';

const SIGNS: Readonly<Record<JobKind, string>> = {
  running: '●',
  asks: '?',
  completed: '✓',
  failed: '✗',
  other: ' ',
};

export function kindOf({ state }: Pick<JobRow, 'state'>): JobKind {
  const [word = ''] = state.split(' ');
  return Object.hasOwn(SIGNS, word) ? (word as JobKind) : 'other';
}

/** Those that run before those that are over; otherwise as they were. */
export function runningFirst(jobs: readonly JobInfo[]): readonly JobInfo[] {
  const isRunning = ({ state }: JobInfo): boolean => state === 'running';
  return [...jobs.filter(isRunning), ...jobs.filter((job) => !isRunning(job))];
}
