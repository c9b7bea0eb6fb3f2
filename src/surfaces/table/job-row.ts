import type { JobInfo, JobLook } from '../../index.ts';
import { renderSize } from './render-size.ts';
import { oneLine, renderAge } from './render-table.ts';

/** A job as a row of a table. */
export interface JobRow {
  readonly id: string;
  /** A service's own name, else the command. */
  readonly name: string;
  readonly state: string;
  readonly age: string;
  readonly cpu: string;
  readonly memory: string;
  readonly ports: string;
  readonly lastLine: string;
  /** All of it, on one line. */
  readonly command: string;
  /** What else there is to know of the selected one. */
  readonly detail: string;
}

/** What is not known, or means nothing for a job that is over, is left empty. */
export function toJobRow(job: JobInfo, look: JobLook | undefined, now: number = Date.now()): JobRow {
  const uses = job.state === 'running' ? look : undefined;
  return {
    id: job.id,
    name: oneLine(job.name ?? job.label),
    state: renderState(job, look),
    age: renderAge(job.startedAt, now),
    cpu: uses === undefined ? '' : renderCpu(uses),
    memory: uses === undefined || uses.memoryBytes === 0 ? '' : renderSize(uses.memoryBytes),
    ports: uses?.ports.join(',') ?? '',
    lastLine: oneLine(look?.lastLine ?? ''),
    command: job.command.trim().replace(/\s*\n\s*/g, ' ⏎ '),
    detail: renderDetail(job),
  };
}

function renderDetail({ id, pid, cwd, session, name, restarts, startedAt, endedAt }: JobInfo): string {
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

function renderState(job: JobInfo, look: JobLook | undefined): string {
  if (job.state === 'completed') return 'completed';
  if (job.state === 'failed') return `failed ${renderHow(job)}`.trim();
  return look?.waitingForInput ? 'asks' : 'running';
}

function renderHow({ signal, exitCode, status }: JobInfo): string {
  if (signal !== null) return signal;
  if (exitCode !== null) return `${exitCode}`;
  return status === 'timed_out' ? 'timeout' : status;
}

/** Since the last look as a share of one processor; at the first look all of it, as a time. */
function renderCpu({ cpu, cpuSeconds }: JobLook): string {
  return cpu === null ? `${cpuSeconds.toFixed(1)}s` : `${Math.round(cpu * 100)}%`;
}
