import type { JobInfo } from '../contract/job.ts';
import type { WaitingForInput } from '../contract/result.ts';

/** Renders the state of a job in one line: `completed (exit code 0) after 12 s: job <id>, npm test`. */
export function renderJobStatus(job: JobInfo, now: number = Date.now()): string {
  const { id, name, label, startedAt, endedAt } = job;
  const subject = `job ${id}${name === null ? '' : ` (${renderServiceName(job)})`}, ${label}`;
  if (job.state === 'running')
    return `running for ${renderElapsed(now - startedAt)}${renderLeftovers(job)}: ${subject}`;
  const after =
    job.status === 'lost' || endedAt === null ? '' : ` after ${renderElapsed(endedAt - startedAt)}`;
  return `${job.state} (${renderJobExitStatus(job)})${after}: ${subject}`;
}

function renderServiceName({ name, restarts }: JobInfo): string {
  return restarts === 0 ? `service ${name}` : `service ${name}, restarts: ${restarts}`;
}

/** Renders the exit status of a job: `exit code 3`, `exit code 137, SIGKILL`, `timed out`. */
function renderJobExitStatus({ status, exitCode, signal, lostBecause }: JobInfo): string {
  switch (status) {
    case 'timed_out':
      return 'timed out';
    case 'aborted':
      return 'aborted';
    case 'lost':
      return `exit code unknown: ${lostBecause}`;
    default:
      return `exit code ${exitCode}${signal === null ? '' : `, ${signal}`}`;
  }
}

/** The command may have exited while processes it started are alive. */
function renderLeftovers(job: JobInfo): string {
  if (job.status === 'running') return '';
  return ` (the command ended: ${renderJobExitStatus(job)}; it left pid ${job.leftoverPids.join(', ')} running)`;
}

/** Renders a duration: `1.2 s`, `45 s`, `12 min`, `5 h`. */
export function renderElapsed(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

/** Renders an input wait for a model, with what the model can do about it. */
export function renderWaitingForInput({ pid, command, lastLine, echoOff, canSend }: WaitingForInput): string {
  const asks = lastLine === '' ? '' : ` Its last line: ${JSON.stringify(lastLine)}.`;
  const hidden = echoOff ? ' Typed text is hidden: it asks for a secret.' : '';
  const remedy = canSend
    ? 'Answer with action "send" of the job tool (text, then the key enter; or the end of input), or kill it.'
    : 'No input can be sent: kill it and start it again with flags or a stdin that answer, or with stdin: {"open": true}.';
  return `Waiting for input: ${truncateCommandName(command)} (pid ${pid}).${asks}${hidden} ${remedy}`;
}

function truncateCommandName(command: string): string {
  return command.length <= 60 ? command : `${command.slice(0, 60)}…`;
}
