import type { JobInfo } from '../../runs/job-info.ts';
import type { Jobs } from '../../runs/jobs.ts';
import { renderStatus } from '../status-line.ts';
import type { JobCall } from './job-input.ts';
import type { Answer, JobReport } from './job-result.ts';
import { renderOutput, renderPorts, renderReport, toReport } from './render-report.ts';
import { wait } from './wait-action.ts';

/** What an action works on. */
export interface ActionPlace {
  readonly jobs: Jobs;
  /** Ends waits, and nothing else. */
  readonly signal: AbortSignal;
}

type Action = (call: JobCall, place: ActionPlace) => Promise<Answer>;

const MOST_ENDED = 20;

export const ACTIONS: Readonly<Record<JobCall['action'], Action>> = { list, peek, wait, send, kill };

async function list(_: JobCall, { jobs }: ActionPlace): Promise<Answer> {
  const all = jobs.list();
  const running = all.filter(({ state }) => state === 'running');
  const ended = all.filter(({ state }) => state !== 'running');
  const looks = (await jobs.watch()).look(running.map(({ id }) => id));
  const reports = running.map((job): JobReport => {
    const look = looks.get(job.id);
    return { ...toReport(job, look), ...(look === undefined ? {} : { lastLine: look.lastLine }) };
  });
  const shown = ended.slice(0, MOST_ENDED);
  const more = ended.length - shown.length;
  const lines = [...reports.map(renderListed), ...shown.map((job) => renderStatus(job))];
  if (more > 0) lines.push(`and ${more} more that ended earlier`);
  return { text: lines.length === 0 ? '(no jobs)' : lines.join('\n'), jobs: [...reports, ...shown] };
}

function renderListed(report: JobReport): string {
  const { ports = [], waitingForInput, lastLine = '' } = report;
  const facts = [
    ...(ports.length === 0 ? [] : [renderPorts(ports)]),
    ...(waitingForInput === undefined ? [] : ['waiting for input']),
    ...(lastLine === '' ? [] : [`last line: ${lastLine}`]),
  ];
  return facts.length === 0 ? renderStatus(report) : `${renderStatus(report)} (${facts.join('; ')})`;
}

async function peek({ ids, lines, from }: JobCall, { jobs }: ActionPlace): Promise<Answer> {
  const [id = ''] = ids;
  const job = jobs.find(id);
  const report = toReport(job, (await jobs.watch()).look([job.id]).get(job.id));
  const output = await jobs.peek(id, {
    ...(lines === undefined ? {} : { lines }),
    ...(from === undefined ? {} : { from }),
  });
  return { text: `${renderReport(report)}\n\n${renderOutput(output)}`, jobs: [{ ...report, output }] };
}

async function send({ ids, text, keys, end }: JobCall, { jobs }: ActionPlace): Promise<Answer> {
  const [id = ''] = ids;
  // Before it is sent: what is printed from here on may be the answer.
  const { totalBytes } = await jobs.peek(id, { lines: 1 });
  await jobs.send(id, {
    ...(text === undefined ? {} : { text }),
    ...(keys === undefined ? {} : { keys }),
    ...(end === undefined ? {} : { end }),
  });
  const report: JobReport = jobs.find(id);
  const hint = `Sent. What it answers takes a moment: peek or wait from byte ${totalBytes}.`;
  return { text: `${renderStatus(report)}\n${hint}`, jobs: [report] };
}

async function kill({ ids, signal, escalate }: JobCall, { jobs }: ActionPlace): Promise<Answer> {
  const found = ids.map((id) => jobs.find(id));
  const how = {
    ...(signal === undefined ? {} : { signal }),
    ...(escalate === undefined ? {} : { escalate }),
  };
  const reports = await Promise.all(
    found.map(async (job: JobInfo): Promise<JobReport> => {
      if (job.state !== 'running') return job;
      const killed = await jobs.kill(job.id, how);
      return { ...killed.job, survivors: killed.survivors };
    }),
  );
  return { text: reports.map(renderKilled).join('\n'), jobs: reports };
}

function renderKilled(report: JobReport): string {
  const { survivors } = report;
  if (survivors === undefined) return `${renderStatus(report)}\nIt had ended already.`;
  const left = survivors.map(({ pid, command }) => `\nStill alive: ${command} (pid ${pid})`).join('');
  const hint = report.state === 'running' && left === '' ? '\nThe signal was sent; it still runs.' : '';
  return renderStatus(report) + left + hint;
}
