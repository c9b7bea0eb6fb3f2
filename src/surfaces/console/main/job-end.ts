import type { JobInfo } from '../../../index.ts';
import { renderDuration } from '../cards/amounts.ts';

/** The end of a job in one line, and how good that is. */
export function renderJobEnd(job: JobInfo): readonly [text: string, tone: 'accent' | 'bad'] {
  const { state, signal, exitCode, status, name, label, startedAt, endedAt } = job;
  const time = renderDuration((endedAt ?? Date.now()) - startedAt);
  if (state !== 'failed') return [`job completed after ${time}: ${name ?? label}`, 'accent'];
  return [
    `job failed (${signal ?? (exitCode === null ? status : `exit ${exitCode}`)}) after ${time}: ${name ?? label}`,
    'bad',
  ];
}
