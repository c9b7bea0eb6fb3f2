import type { JobInfo } from '../runs/job-info.ts';

/** How a job is doing, in one line that begins with it: `completed (exit code 0) after 12 s: job <id>, npm test`. */
export function renderStatus(job: JobInfo, now: number = Date.now()): string {
  const { id, name, label, startedAt, endedAt } = job;
  const who = `job ${id}${name === null ? '' : ` (${renderService(job)})`}, ${label}`;
  if (job.state === 'running')
    return `running for ${renderElapsed(now - startedAt)}${renderBehind(job)}: ${who}`;
  const after =
    job.status === 'lost' || endedAt === null ? '' : ` after ${renderElapsed(endedAt - startedAt)}`;
  return `${job.state} (${renderEnd(job)})${after}: ${who}`;
}

function renderService({ name, restarts }: JobInfo): string {
  return restarts === 0 ? `service ${name}` : `service ${name}, restarts: ${restarts}`;
}

/** `exit code 3`, `exit code 137, SIGKILL`, `timed out`. */
export function renderEnd({ status, exitCode, signal, lostBecause }: JobInfo): string {
  switch (status) {
    case 'timed_out':
      return 'timed out';
    case 'aborted':
      return 'aborted';
    case 'lost':
      return `its exit code is not known: ${lostBecause}`;
    default:
      return `exit code ${exitCode}${signal === null ? '' : `, ${signal}`}`;
  }
}

/** The command may be over while something it started goes on. */
function renderBehind({ status, behind, ...job }: JobInfo): string {
  if (status === 'running') return '';
  const pids = behind.join(', ');
  return ` (the command ended: ${renderEnd({ status, behind, ...job })}; it left pid ${pids} running)`;
}

/** `1.2 s`, `45 s`, `12 min`, `5 h`. */
export function renderElapsed(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
