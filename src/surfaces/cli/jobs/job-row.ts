import type { JobInfo, JobLook } from '../../../index.ts';
import { renderSize } from '../render-size.ts';
import { oneLine, renderAge } from '../render-table.ts';

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
  };
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
