import { NacreError } from '../../errors.ts';
import { describeValue } from '../../validator.ts';
import { badInputError, parseSchemaInput } from '../contract/input-schema.ts';
import type { JobInfo } from '../contract/job.ts';
import type { LineRange } from '../contract/result.ts';
import type { PendingWaits } from './instance-runs.ts';
import type { JobEndNotifier } from './job-end-notifier.ts';
import type { JobLook } from './job-meter.ts';
import { renderElapsed, renderJobStatus, renderWaitingForInput } from './job-status.ts';
import {
  JOB_SCHEMA,
  type JobAction,
  type JobAnswer,
  type JobReport,
  type JobResult,
  toJobError,
} from './job-tool.ts';
import type { Jobs } from './jobs.ts';
import { parseSignal } from './kill-job.ts';
import type { JobOutput } from './peek-job.ts';
import { parseOutputPattern } from './services.ts';
import type { JobWait, WaitedJob } from './wait-for-jobs.ts';

interface JobToolContext {
  readonly jobs: Jobs;
  readonly jobEndNotifier: JobEndNotifier;
  readonly pendingWaits: PendingWaits;
  readonly options: { readonly output: { readonly maxBytes: number } };
  /** Ends a wait, never a job. */
  readonly signal: AbortSignal | undefined;
}

/** Performs one call of the job tool. A refused call resolves with an error result. */
export async function performJob(input: unknown, context: JobToolContext): Promise<JobResult> {
  let call: JobCall | undefined;
  try {
    call = parseJobInput(input);
    const { text, jobs, why } = await performJobAction(call, context);
    const details = { action: call.action, jobs, ...(why === undefined ? {} : { why }) };
    return { content: [{ type: 'text', text }], isError: false, details };
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    return toJobError(error, call?.action ?? null);
  }
}

/** Ends that the answer reports are not reported again by the notifier. */
async function performJobAction(
  call: JobCall,
  { jobs, jobEndNotifier, pendingWaits, options, signal }: JobToolContext,
): Promise<JobAnswer> {
  const ids = call.ids.map((id) => jobs.find(id).id);
  const ended = new AbortController();
  const forget = pendingWaits.add(() => ended.abort());
  jobEndNotifier.suppress(ids);
  let seen: JobAnswer['jobs'] = [];
  try {
    const signals = signal === undefined ? [ended.signal] : [ended.signal, signal];
    const answer = await JOB_ACTIONS[call.action](
      { ...call, ids },
      { jobs, signal: AbortSignal.any(signals), maxBytes: options.output.maxBytes },
    );
    seen = answer.jobs;
    return answer;
  } finally {
    forget();
    jobEndNotifier.resume(ids, seen);
  }
}

/** Validated input of the job tool. */
interface JobCall {
  readonly action: JobAction;
  readonly ids: readonly string[];
  readonly lines?: number;
  readonly from?: number;
  readonly pattern?: RegExp;
  readonly port?: number;
  readonly seconds?: number;
  readonly all?: boolean;
  readonly text?: string;
  readonly keys?: readonly string[];
  readonly end?: boolean;
  readonly signal?: NodeJS.Signals;
  readonly escalate?: boolean;
}

interface ActionFields {
  readonly fields: readonly string[];
  /** Minimum and maximum number of jobs. */
  readonly jobs: readonly [number, number];
}

const ACTION_FIELDS: Readonly<Record<JobAction, ActionFields>> = {
  list: { fields: [], jobs: [0, 0] },
  peek: { fields: ['id', 'lines', 'from'], jobs: [1, 1] },
  wait: { fields: ['id', 'pattern', 'from', 'port', 'seconds', 'all'], jobs: [1, 100] },
  send: { fields: ['id', 'text', 'keys', 'end'], jobs: [1, 1] },
  kill: { fields: ['id', 'signal', 'escalate'], jobs: [1, 100] },
};

type JobInputFields = Omit<JobCall, 'ids' | 'pattern' | 'signal'> & {
  readonly id?: string | readonly string[];
  readonly pattern?: string;
  readonly signal?: string;
};

/** Parses the input of the job tool. Throws `bad_input` with the field, its value and the allowed values. */
export function parseJobInput(input: unknown): JobCall {
  const fields = parseSchemaInput(input, JOB_SCHEMA) as unknown as JobInputFields;
  const { id = [], pattern, signal, ...others } = fields;
  const ids = typeof id === 'string' ? [id] : id;
  checkActionFields(fields);
  checkJobCount(fields.action, ids);
  checkFieldCombination(fields);
  return {
    ...others,
    ids,
    ...(pattern === undefined ? {} : { pattern: parseOutputPattern(pattern, 'pattern') }),
    ...(signal === undefined ? {} : { signal: parseSignalField(signal) }),
  };
}

function checkActionFields({ action, ...fields }: JobInputFields): void {
  const taken = ACTION_FIELDS[action].fields;
  const wrong = Object.keys(fields).find((name) => !taken.includes(name));
  if (wrong !== undefined)
    throw badInputError(
      wrong,
      `is not allowed with ${action}, which takes ${taken.join(', ') || 'nothing else'}`,
    );
}

function checkJobCount(action: JobAction, ids: readonly string[]): void {
  const [least, most] = ACTION_FIELDS[action].jobs;
  if (ids.length < least)
    throw badInputError('id', `is required for ${action}: the id of a job; list shows them`);
  const limit = most === 1 ? 'one job' : `${most} jobs at most`;
  if (ids.length > most) throw badInputError('id', `${action} takes ${limit}, got ${ids.length}`);
}

function checkFieldCombination(fields: JobInputFields): void {
  const { action, lines, from, escalate, signal, text, keys, end } = fields;
  if (lines !== undefined && from !== undefined)
    throw badInputError('lines', 'cannot go with from: it selects the last lines');
  if (escalate === true && signal !== undefined)
    throw badInputError('signal', 'cannot go with escalate, which sends TERM and then KILL');
  if (action === 'send' && text === undefined && keys === undefined && end !== true)
    throw badInputError('text', 'send requires text, keys or end');
}

function parseSignalField(word: string): NodeJS.Signals {
  const signal = parseSignal(word);
  if (signal !== undefined) return signal;
  throw badInputError('signal', `expected the name of a signal, such as TERM, got ${describeValue(word)}`);
}

/** Context of an action of the job tool. */
interface JobActionContext {
  readonly jobs: Jobs;
  /** Ends a wait, never a job. */
  readonly signal: AbortSignal;
  /** Output that the answer shows. */
  readonly maxBytes: number;
}

type JobActionHandler = (call: JobCall, context: JobActionContext) => Promise<JobAnswer>;

const MAX_ENDED_LISTED = 20;

const JOB_ACTIONS: Readonly<Record<JobCall['action'], JobActionHandler>> = {
  list: listAction,
  peek: peekAction,
  wait: waitAction,
  send: sendAction,
  kill: killAction,
};

async function listAction(_: JobCall, { jobs }: JobActionContext): Promise<JobAnswer> {
  const all = jobs.list();
  const running = all.filter(({ state }) => state === 'running');
  const ended = all.filter(({ state }) => state !== 'running');
  const activity = (await jobs.watch()).look(running.map(({ id }) => id));
  const reports = running.map((job): JobReport => {
    const current = activity.get(job.id);
    return { ...toJobReport(job, current), ...(current === undefined ? {} : { lastLine: current.lastLine }) };
  });
  const shown = ended.slice(0, MAX_ENDED_LISTED);
  const more = ended.length - shown.length;
  const lines = [...reports.map(renderListLine), ...shown.map((job) => renderJobStatus(job))];
  if (more > 0) lines.push(`and ${more} more that ended earlier`);
  return { text: lines.length === 0 ? '(no jobs)' : lines.join('\n'), jobs: [...reports, ...shown] };
}

function renderListLine(report: JobReport): string {
  const { ports = [], waitingForInput, lastLine = '' } = report;
  const facts = [
    ...(ports.length === 0 ? [] : [renderPorts(ports)]),
    ...(waitingForInput === undefined ? [] : ['waiting for input']),
    ...(lastLine === '' ? [] : [`last line: ${lastLine}`]),
  ];
  return facts.length === 0 ? renderJobStatus(report) : `${renderJobStatus(report)} (${facts.join('; ')})`;
}

async function peekAction(
  { ids, lines, from }: JobCall,
  { jobs, maxBytes }: JobActionContext,
): Promise<JobAnswer> {
  const [id = ''] = ids;
  const job = jobs.find(id);
  const report = toJobReport(job, (await jobs.watch()).look([job.id]).get(job.id));
  const output = await jobs.peek(id, { lines, from, maxBytes });
  return { text: `${renderJobReport(report)}\n\n${renderJobOutput(output)}`, jobs: [{ ...report, output }] };
}

async function sendAction({ ids, text, keys, end }: JobCall, { jobs }: JobActionContext): Promise<JobAnswer> {
  const [id = ''] = ids;
  // The offset before sending: everything after it may be the answer.
  const { totalBytes } = await jobs.peek(id, { lines: 1 });
  await jobs.send(id, { text, keys, end });
  const report: JobReport = jobs.find(id);
  const hint = `Sent. To read the answer, peek or wait from byte ${totalBytes}.`;
  return { text: `${renderJobStatus(report)}\n${hint}`, jobs: [report] };
}

async function killAction(
  { ids, signal, escalate }: JobCall,
  { jobs }: JobActionContext,
): Promise<JobAnswer> {
  const found = ids.map((id) => jobs.find(id));
  const reports = await Promise.all(
    found.map(async (job: JobInfo): Promise<JobReport> => {
      if (job.state !== 'running') return job;
      const killed = await jobs.kill(job.id, { signal, escalate });
      return { ...killed.job, survivors: killed.survivors };
    }),
  );
  return { text: reports.map(renderKillReport).join('\n'), jobs: reports };
}

function renderKillReport(report: JobReport): string {
  const { survivors } = report;
  if (survivors === undefined) return `${renderJobStatus(report)}\nIt had already ended.`;
  const left = survivors.map(({ pid, command }) => `\nStill alive: ${command} (pid ${pid})`).join('');
  const hint =
    report.state === 'running' && left === '' ? '\nThe signal was sent; the job is still running.' : '';
  return renderJobStatus(report) + left + hint;
}

const DEFAULT_WAIT_SECONDS = 60;
const SHORT_PEEK = { lines: 20, maxBytes: 8 * 1024 } as const;
/** Output of each job is shown at least this far, even if many jobs share the limit. */
const MIN_SHARE_BYTES = 512;

/** Waits for jobs. The answer starts with the status of the jobs whose condition was met. */
async function waitAction(
  call: JobCall,
  { jobs, signal, maxBytes: limit }: JobActionContext,
): Promise<JobAnswer> {
  const { ids, pattern, from, port, all = false, seconds = DEFAULT_WAIT_SECONDS } = call;
  const mode = all ? 'all' : 'any';
  const timeoutMs = seconds * 1_000;
  const waited = await jobs.wait(ids, { pattern, from, port, mode, timeoutMs, signal });
  const met = waited.jobs.filter((each) => each.met !== null);
  const others = waited.jobs.filter((each) => each.met === null);
  const activity = (await jobs.watch()).look(waited.jobs.map(({ job }) => job.id));
  const share = Math.max(MIN_SHARE_BYTES, Math.floor(limit / waited.jobs.length));
  const peek = { ...SHORT_PEEK, maxBytes: Math.min(SHORT_PEEK.maxBytes, share) };
  const reports = await Promise.all(
    [...met, ...others].map(async (each): Promise<JobReport> => {
      const isShown = each.met !== null || each.job.state !== 'running' || waited.jobs.length === 1;
      const output = isShown ? { output: await jobs.peek(each.job.id, peek) } : {};
      return { ...toJobReport(each.job, activity.get(each.job.id)), met: each.met, ...output };
    }),
  );
  return { text: renderWaitAnswer(reports, { why: waited.why, seconds }), jobs: reports, why: waited.why };
}

function renderWaitAnswer(
  reports: readonly JobReport[],
  { why, seconds }: { readonly why: JobWait['why']; readonly seconds: number },
): string {
  const heads = reports.map((report) => `${renderJobReport(report)}${renderWaitMet(report)}`);
  const reason = renderWaitEnd(why, seconds);
  const bodies = reports.flatMap(({ id, output }) =>
    output === undefined ? [] : [`${reports.length > 1 ? `Job ${id}:\n` : ''}${renderJobOutput(output)}`],
  );
  return [[...heads, ...(reason === '' ? [] : [reason])].join('\n'), ...bodies].join('\n\n');
}

function renderWaitMet({ met = null, ports = [] }: JobReport & { readonly met?: WaitedJob['met'] }): string {
  if (met?.kind === 'port') {
    const owner = ports.includes(met.port) ? '' : ' No process of this job listens on it.';
    return `\nPort ${met.port} accepts connections.${owner}`;
  }
  if (met?.kind !== 'output') return '';
  return `\n${met.lineNumber === null ? 'A line' : `Line ${met.lineNumber}`} matches: ${met.line}`;
}

function renderWaitEnd(why: JobWait['why'], seconds: number): string {
  if (why === 'time') return `The condition was not met within ${renderElapsed(seconds * 1_000)}.`;
  if (why === 'never') return 'The condition cannot be met any more.';
  return why === 'aborted' ? 'The wait was ended from outside; the job is not affected.' : '';
}

/** Adds ports and input waits to a running job. */
function toJobReport(job: JobInfo, activity: JobLook | undefined): JobReport {
  if (activity === undefined || job.state !== 'running') return job;
  const { ports, waitingForInput } = activity;
  return {
    ...job,
    ...(ports.length === 0 ? {} : { ports }),
    ...(waitingForInput === null ? {} : { waitingForInput }),
  };
}

/** Renders the status, ports and input wait of a job. */
function renderJobReport(report: JobReport): string {
  const { ports, waitingForInput } = report;
  return [
    renderJobStatus(report),
    ...(ports === undefined ? [] : [`Listens on ${renderPorts(ports)}.`]),
    ...(waitingForInput === undefined ? [] : [renderWaitingForInput(waitingForInput)]),
  ].join('\n');
}

function renderPorts(ports: readonly number[]): string {
  return `port${ports.length === 1 ? '' : 's'} ${ports.join(', ')}`;
}

/** Renders output with the byte offset for the next read. */
export function renderJobOutput({ text, next, totalBytes, lines, notes }: JobOutput): string {
  const shown = text === '' ? '(no output)' : text.replace(/\n$/, '');
  const range = lines.length === 0 ? '' : `${lines.map(renderLineRange).join(', ')}; `;
  const rest = next < totalBytes ? `${totalBytes - next} bytes more; ` : '';
  return [shown, '', `[${range}${rest}continue from byte ${next}]`, ...notes.map((note) => `[${note}]`)].join(
    '\n',
  );
}

function renderLineRange({ from, to }: LineRange): string {
  return from === to ? `line ${from}` : `lines ${from}-${to}`;
}
