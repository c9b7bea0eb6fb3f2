import type { JobInfo, JobLook } from '../../index.ts';
import { renderByteSize } from './amounts.ts';
import { renderAge, toOneLine } from './text-table.ts';
import { displayWidth } from './text-width.ts';

/** A job as the cells of a table row. */
export interface JobRow {
  readonly id: string;
  /** The name of a service, otherwise the command. */
  readonly name: string;
  readonly state: string;
  readonly age: string;
  readonly cpu: string;
  readonly memory: string;
  readonly ports: string;
  readonly lastLine: string;
  /** The whole command on one line. */
  readonly command: string;
  /** Additional facts, shown for the selected job. */
  readonly detail: string;
}

/** Converts a job to a table row; unknown values and the resource usage of finished jobs are empty. */
export function toJobRow(job: JobInfo, look: JobLook | undefined, now: number = Date.now()): JobRow {
  const uses = job.state === 'running' ? look : undefined;
  return {
    id: job.id,
    name: toOneLine(job.name ?? job.label),
    state: renderJobState(job, look),
    age: renderAge(job.startedAt, now),
    cpu: uses === undefined ? '' : renderCpu(uses),
    memory: uses === undefined || uses.memoryBytes === 0 ? '' : renderByteSize(uses.memoryBytes),
    ports: uses?.ports.join(',') ?? '',
    lastLine: toOneLine(look?.lastLine ?? ''),
    command: job.command.trim().replace(/\s*\n\s*/g, ' ⏎ '),
    detail: renderJobDetail(job),
  };
}

function renderJobDetail({ id, pid, cwd, session, name, restarts, startedAt, endedAt }: JobInfo): string {
  const clock = (time: number): string => new Date(time).toTimeString().slice(0, 8);
  return [
    id,
    ...(name === null ? [] : [`service ${name}`]),
    ...(restarts === 0 ? [] : [`${restarts} restarts`]),
    ...(pid === null ? [] : [`pid ${pid}`]),
    endedAt === null ? `since ${clock(startedAt)}` : `${clock(startedAt)} to ${clock(endedAt)}`,
    `session ${session}`,
    cwd,
  ].join(' · ');
}

function renderJobState(job: JobInfo, look: JobLook | undefined): string {
  if (job.state === 'completed') return 'completed';
  if (job.state === 'failed') return `failed ${renderExit(job)}`.trim();
  return look?.waitingForInput ? 'waiting' : 'running';
}

function renderExit({ signal, exitCode, status }: JobInfo): string {
  if (signal !== null) return signal;
  if (exitCode !== null) return `${exitCode}`;
  return status === 'timed_out' ? 'timeout' : status;
}

/** CPU share of one processor since the last measurement; the first measurement shows the total CPU time. */
function renderCpu({ cpu, cpuSeconds }: JobLook): string {
  return cpu === null ? `${cpuSeconds.toFixed(1)}s` : `${Math.round(cpu * 100)}%`;
}

/** One column of the job table. */
export interface JobColumn {
  readonly key: 'name' | 'state' | 'age' | 'cpu' | 'memory' | 'ports' | 'lastLine';
  readonly title: string;
  readonly maxWidth: number;
  readonly align: 'left' | 'right';
  /** The column is omitted in narrower tables. */
  readonly minTableWidth: number;
}

/** A column with its width. */
export interface SizedColumn {
  readonly column: JobColumn;
  readonly width: number;
}

const JOB_COLUMNS: readonly JobColumn[] = [
  { key: 'name', title: 'NAME', maxWidth: 60, align: 'left', minTableWidth: 0 },
  { key: 'state', title: 'STATE', maxWidth: 16, align: 'left', minTableWidth: 0 },
  { key: 'age', title: 'AGE', maxWidth: 5, align: 'right', minTableWidth: 36 },
  { key: 'cpu', title: 'CPU', maxWidth: 6, align: 'right', minTableWidth: 60 },
  { key: 'memory', title: 'MEMORY', maxWidth: 9, align: 'right', minTableWidth: 60 },
  { key: 'ports', title: 'PORTS', maxWidth: 11, align: 'left', minTableWidth: 50 },
  {
    key: 'lastLine',
    title: 'LAST LINE',
    maxWidth: Number.POSITIVE_INFINITY,
    align: 'left',
    minTableWidth: 36,
  },
];

/** Columns that are omitted when every cell is empty. */
const OPTIONAL_COLUMNS: ReadonlySet<JobColumn['key']> = new Set(['cpu', 'memory', 'ports']);

/** The share of the remaining width that the name gets before the last line is clipped. */
const NAME_WIDTH_SHARE = 0.45;

/** Spaces between two columns. */
export const COLUMN_GAP = 2;

/**
 * Chooses the columns that fit and their widths. All jobs are measured, not only the visible ones, so that
 * scrolling does not move columns.
 */
export function layoutJobColumns(rows: readonly JobRow[], columns: number): readonly SizedColumn[] {
  const widest = (key: JobColumn['key']): number =>
    rows.reduce((most, row) => Math.max(most, displayWidth(renderJobCell(row, key))), 0);
  const wanted = JOB_COLUMNS.filter(({ minTableWidth }) => columns >= minTableWidth)
    .map((column) => ({ column, content: widest(column.key) }))
    .filter(({ column: { key }, content }) => content > 0 || !OPTIONAL_COLUMNS.has(key))
    .map(({ column, content }) => ({
      column,
      width: Math.min(column.maxWidth, Math.max(column.title.length, content)),
    }));
  const fixed = wanted.filter(({ column: { key } }) => key !== 'name' && key !== 'lastLine');
  const used = fixed.reduce((sum, { width }) => sum + width, 0) + COLUMN_GAP * (wanted.length - 1);
  const left = Math.max(4, columns - used);
  const last = wanted.find(({ column: { key } }) => key === 'lastLine')?.width ?? 0;
  const name = Math.min(wanted[0]?.width ?? 0, Math.max(Math.floor(left * NAME_WIDTH_SHARE), left - last));
  const widths: Partial<Record<JobColumn['key'], number>> = { name, lastLine: Math.max(0, left - name) };
  return wanted.map(({ column, width }) => ({ column, width: widths[column.key] ?? width }));
}

/** The text of one cell. */
export function renderJobCell(row: JobRow, key: JobColumn['key']): string {
  return key === 'state' ? `${STATE_SYMBOLS[toJobStateKind(row)]} ${row.state}` : row[key];
}

export type JobStateKind = 'running' | 'waiting' | 'completed' | 'failed' | 'other';

const STATE_SYMBOLS: Readonly<Record<JobStateKind, string>> = {
  running: '●',
  waiting: '?',
  completed: '✓',
  failed: '✗',
  other: ' ',
};

export function toJobStateKind({ state }: Pick<JobRow, 'state'>): JobStateKind {
  const [word = ''] = state.split(' ');
  return Object.hasOwn(STATE_SYMBOLS, word) ? (word as JobStateKind) : 'other';
}

/** Sorts running jobs first; otherwise the order is kept. */
export function sortRunningFirst(jobs: readonly JobInfo[]): readonly JobInfo[] {
  const isRunning = ({ state }: JobInfo): boolean => state === 'running';
  return [...jobs.filter(isRunning), ...jobs.filter((job) => !isRunning(job))];
}
