import { renderWaitingForInput } from '../../outcome/waiting-for-input.ts';
import type { LineRange } from '../../result.ts';
import type { JobInfo } from '../../runs/job-info.ts';
import type { JobOutput } from '../acting/peek.ts';
import type { JobLook } from '../looking/job-meter.ts';
import { renderStatus } from '../status-line.ts';
import type { JobReport } from './job-result.ts';

/** A job with how it is doing. */
export function toReport(job: JobInfo, look: JobLook | undefined): JobReport {
  if (look === undefined || job.state !== 'running') return job;
  const { ports, waitingForInput } = look;
  return {
    ...job,
    ...(ports.length === 0 ? {} : { ports }),
    ...(waitingForInput === null ? {} : { waitingForInput }),
  };
}

/** The status, and what there is to know at once: where it listens, whether it waits for somebody. */
export function renderReport(report: JobReport): string {
  const { ports, waitingForInput } = report;
  return [
    renderStatus(report),
    ...(ports === undefined ? [] : [`Listens on ${renderPorts(ports)}.`]),
    ...(waitingForInput === undefined ? [] : [renderWaitingForInput(waitingForInput)]),
  ].join('\n');
}

export function renderPorts(ports: readonly number[]): string {
  return `port${ports.length === 1 ? '' : 's'} ${ports.join(', ')}`;
}

/** What was printed, and where to go on. */
export function renderOutput({ text, next, totalBytes, lines, notes }: JobOutput): string {
  const shown = text === '' ? '(no output)' : text.replace(/\n$/, '');
  const range = lines.length === 0 ? '' : `${lines.map(renderRange).join(', ')}; `;
  const rest = next < totalBytes ? `${totalBytes - next} bytes more; ` : '';
  return [shown, '', `[${range}${rest}go on from byte ${next}]`, ...notes.map((note) => `[${note}]`)].join(
    '\n',
  );
}

function renderRange({ from, to }: LineRange): string {
  return from === to ? `line ${from}` : `lines ${from}-${to}`;
}
