import type { Jobs } from '../../runs/jobs.ts';
import type { JobWait, JobWaitOptions, WaitedJob } from '../acting/wait.ts';
import { renderElapsed } from '../status-line.ts';
import type { JobCall } from './job-input.ts';
import type { Answer, JobReport } from './job-result.ts';
import { renderOutput, renderReport, toReport } from './render-report.ts';

const WAIT_SECONDS = 60;
/** Shown after a wait: enough to see what happened. */
const SHORT = { lines: 20, maxBytes: 8 * 1024 } as const;

/** Waits; the answer begins with the status of the job for which something came. */
export async function wait(
  call: JobCall,
  { jobs, signal }: { readonly jobs: Jobs; readonly signal: AbortSignal },
): Promise<Answer> {
  const { seconds = WAIT_SECONDS } = call;
  const waited = await jobs.wait(call.ids, toOptions(call, { seconds, signal }));
  const met = waited.jobs.filter((each) => each.met !== null);
  const others = waited.jobs.filter((each) => each.met === null);
  const looks = (await jobs.watch()).look(waited.jobs.map(({ job }) => job.id));
  const reports = await Promise.all(
    [...met, ...others].map(async (each): Promise<JobReport> => {
      const isShown = each.met !== null || each.job.state !== 'running' || waited.jobs.length === 1;
      const output = isShown ? { output: await jobs.peek(each.job.id, SHORT) } : {};
      return { ...toReport(each.job, looks.get(each.job.id)), met: each.met, ...output };
    }),
  );
  return { text: render(reports, { why: waited.why, seconds }), jobs: reports, why: waited.why };
}

function toOptions(
  { pattern, from, port, all = false }: JobCall,
  { seconds, signal }: { readonly seconds: number; readonly signal: AbortSignal },
): JobWaitOptions {
  return {
    ...(pattern === undefined ? {} : { pattern }),
    ...(from === undefined ? {} : { from }),
    ...(port === undefined ? {} : { port }),
    ...{ mode: all ? 'all' : 'any', timeoutMs: seconds * 1_000, signal },
  };
}

function render(
  reports: readonly JobReport[],
  { why, seconds }: { readonly why: JobWait['why']; readonly seconds: number },
): string {
  const heads = reports.map((report) => `${renderReport(report)}${renderMet(report)}`);
  const reason = renderWhy(why, seconds);
  const bodies = reports.flatMap(({ id, output }) =>
    output === undefined ? [] : [`${reports.length > 1 ? `Job ${id}:\n` : ''}${renderOutput(output)}`],
  );
  return [[...heads, ...(reason === '' ? [] : [reason])].join('\n'), ...bodies].join('\n\n');
}

function renderMet({ met = null, ports = [] }: JobReport & { readonly met?: WaitedJob['met'] }): string {
  if (met?.kind === 'port') {
    const whose = ports.includes(met.port) ? '' : ' None of the processes of this job listens on it.';
    return `\nPort ${met.port} answers.${whose}`;
  }
  if (met?.kind !== 'output') return '';
  return `\n${met.lineNumber === null ? 'A line' : `Line ${met.lineNumber}`} matches: ${met.line}`;
}

function renderWhy(why: JobWait['why'], seconds: number): string {
  if (why === 'time') return `What was waited for did not come within ${renderElapsed(seconds * 1_000)}.`;
  if (why === 'never') return 'What was waited for cannot come any more.';
  return why === 'aborted' ? 'The wait was ended from outside; what was waited for goes on.' : '';
}
