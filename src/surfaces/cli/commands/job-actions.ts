import { setTimeout as pause } from 'node:timers/promises';
import { NacreError } from '../../../errors.ts';
import type {
  Artifact,
  Artifacts,
  JobInfo,
  JobLook,
  Jobs,
  JobWait,
  KillOptions,
  SendOptions,
  WaitingForInput,
} from '../../../index.ts';
import { toJobRow } from '../../rendering/job-table.ts';
import { renderTable } from '../../rendering/text-table.ts';
import { rejectArguments, usageError } from '../flags.ts';
import { print, printError, writeFully } from '../print.ts';
import { type JobFlags, requireJobId } from './job-flags.ts';

const COLUMN_TITLES = ['ID', 'STATE', 'PID', 'AGE', 'CPU', 'MEMORY', 'PORTS', 'NAME', 'LAST LINE'];

/** Lists running jobs, or all jobs, newest first. Resource usage is measured for running jobs only. */
export async function listJobs(jobs: Jobs, flags: JobFlags, words: readonly string[]): Promise<number> {
  rejectArguments('jobs list', words);
  const known = jobs.list();
  const found = known.filter(({ state }) => flags.all || state === 'running');
  const running = found.filter(({ state }) => state === 'running').map(({ id }) => id);
  const looks = running.length === 0 ? new Map<string, JobLook>() : (await jobs.watch()).look(running);
  if (flags.json) {
    print(`${JSON.stringify(found.map((job) => ({ ...job, ...looks.get(job.id) })))}\n`);
  } else if (found.length > 0) {
    const rows = found.map((job) => toCells(job, looks.get(job.id)));
    print(`${renderTable([COLUMN_TITLES, ...rows])}\n`);
  } else if (known.length > 0) {
    printError('No job is running. To list ended jobs: nacre jobs list --all');
  }
  return 0;
}

function toCells(job: JobInfo, look: JobLook | undefined): string[] {
  const { id, state, age, cpu, memory, ports, name, lastLine } = toJobRow(job, look);
  return [id, state, String(job.pid ?? '-'), age, cpu, memory, ports, name, lastLine];
}

const TIMED_OUT = 124;
/** The job cannot take input; these errors have their own exit status. */
const INPUT_ERRORS: ReadonlySet<string> = new Set(['input_closed', 'input_full']);

/** Prints the last lines without escape sequences, and whether the job waits for input. */
export async function peek(jobs: Jobs, flags: JobFlags, words: readonly string[]): Promise<number> {
  const id = requireJobId(words, 'peek');
  const output = await jobs.peek(id, flags.lines === undefined ? {} : { lines: flags.lines });
  const waiting = (await jobs.watch()).look([id]).get(id)?.waitingForInput ?? null;
  if (flags.json) {
    print(`${JSON.stringify({ ...output, ...(waiting === null ? {} : { waitingForInput: waiting }) })}\n`);
    return 0;
  }
  print(output.text === '' || output.text.endsWith('\n') ? output.text : `${output.text}\n`);
  for (const note of output.notes) printError(note);
  if (waiting !== null) printError(renderWaiting(waiting, id));
  return 0;
}

function renderWaiting({ command, pid, canSend, echoOff }: WaitingForInput, id: string): string {
  const hidden = echoOff ? ' without echo' : '';
  const remedy = canSend
    ? `nacre jobs send ${id} <line> answers it`
    : 'it takes no input; start it with --open-input or --pty';
  return `${command.slice(0, 60)} (pid ${pid}) is waiting for input${hidden}: ${remedy}`;
}

/** Waits for jobs and exits with the job's status; with `--for` the status is 0 when the condition is met. */
export async function wait(jobs: Jobs, flags: JobFlags, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) throw usageError('jobs wait takes the id of a job, or several.');
  const { for: condition = {}, timeout } = flags;
  const limit = timeout === undefined ? {} : { timeoutMs: timeout * 1_000 };
  const waited = await jobs.wait(ids, { ...condition, ...limit, mode: 'all' });
  if (flags.json) print(`${JSON.stringify(waited)}\n`);
  else
    for (const { job, met } of waited.jobs)
      print(`${job.id} ${renderJobState(job)}${renderMetCondition(met)}\n`);
  return toWaitExitStatus(waited);
}

function toWaitExitStatus({ why, jobs }: JobWait): number {
  if (why === 'time') return TIMED_OUT;
  if (why === 'never' || why === 'input') return 1;
  const ended = jobs.filter(({ met }) => met?.kind === 'ended').map(({ job }) => job.exitCode ?? 1);
  return ended.find((code) => code !== 0) ?? 0;
}

function renderJobState({ state, exitCode, signal, status }: JobInfo): string {
  return state === 'running' ? state : `${state} ${signal ?? exitCode ?? status}`;
}

function renderMetCondition(met: JobWait['jobs'][number]['met']): string {
  if (met?.kind === 'port') return ` port ${met.port} is open`;
  return met?.kind === 'output' ? ` ${met.line}` : '';
}

/** Sends the words as a line, and the keys after it. */
export async function send(jobs: Jobs, flags: JobFlags, words: readonly string[]): Promise<number> {
  const [id, ...line] = words;
  if (id === undefined) throw usageError('jobs send takes the id of a job, and then a line.');
  const what: SendOptions = {
    ...(line.length === 0 ? {} : { text: `${line.join(' ')}\n` }),
    ...(flags.key === undefined ? {} : { keys: flags.key }),
  };
  if (Object.keys(what).length === 0) throw usageError('jobs send takes a line, or --key.');
  try {
    await jobs.send(id, what);
  } catch (error) {
    if (flags.json || !(error instanceof NacreError) || !INPUT_ERRORS.has(error.code)) throw error;
    printError(error.message);
    return 1;
  }
  if (flags.json) print(`${JSON.stringify(jobs.find(id))}\n`);
  return 0;
}

/** Signals the jobs at the same time. With `--json` each job is one line. */
export async function kill(jobs: Jobs, flags: JobFlags, words: readonly string[]): Promise<number> {
  if (words.length === 0) throw usageError('jobs kill takes the id of a job, or several.');
  const how = toKillOptions(flags);
  // An unknown id is an error before any signal is sent.
  const found = [...new Map(words.map((word) => [jobs.find(word).id, word]))];
  const statuses = await Promise.all(
    found.map(async ([id, word]) => {
      if (jobs.find(id).state !== 'running') {
        printError(`Job ${word} has ended already.`);
        return 1;
      }
      const { job, survivors } = await jobs.kill(id, how);
      if (flags.json) print(`${JSON.stringify({ job, survivors })}\n`);
      for (const { pid, command: what } of survivors) printError(`Still alive: ${pid} ${what}`);
      return survivors.length === 0 ? 0 : 1;
    }),
  );
  return Math.max(...statuses);
}

export function toKillOptions({ signal, escalate, grace }: JobFlags): KillOptions {
  if (escalate && signal) throw usageError('--escalate and --signal cannot be combined.');
  if (grace !== undefined && !escalate) throw usageError('--grace needs --escalate.');
  if (escalate) return { escalate, graceMs: Math.round((grace ?? 2) * 1000) };
  return signal === undefined ? {} : { signal };
}

export async function prune(jobs: Jobs, flags: JobFlags, words: readonly string[]): Promise<number> {
  rejectArguments('jobs prune', words);
  const removed = await jobs.prune({ olderThanMs: (flags.olderThan ?? 0) * 86_400_000 });
  print(flags.json ? `${JSON.stringify({ removed })}\n` : `Deleted ${removed} jobs.\n`);
  return 0;
}

export interface TailOptions {
  readonly id: string;
  readonly lines: number;
  readonly follow: boolean;
}

const POLL_MS = 100;
/** Sizes of the tail that is searched for the start of the last lines, in order. */
const SEARCH_BYTES = [64 * 1024, 1024 * 1024];
const NEWLINE = 10;

/** Prints the end of a job's raw output, and with `follow` new output until the job ends. */
export async function tailJob(jobs: Jobs, artifacts: Artifacts, options: TailOptions): Promise<number> {
  const { id } = jobs.find(options.id);
  let at = await findTailOffset(artifacts.open(id), options.lines);
  for (;;) {
    // Read before the output, so that output printed up to the job's end is included.
    const job = options.follow ? jobs.find(id) : null;
    at = await printFrom(artifacts.open(id), at);
    if (job === null) return 0;
    if (job.state !== 'running') {
      printError(renderJobEnd(job));
      return 0;
    }
    await pause(POLL_MS);
  }
}

async function printFrom(artifact: Artifact, start: number): Promise<number> {
  let at = start;
  while (at < artifact.totalBytes) {
    const piece = await artifact.bytes({ from: at, to: artifact.totalBytes });
    if (piece.from > at) printError(`${piece.from - at} bytes were not stored.`);
    if (piece.bytes.length === 0) return Math.max(at, piece.to);
    writeFully(1, piece.bytes);
    at = piece.to;
  }
  return at;
}

/** The byte offset of the last lines; an unterminated line counts. */
async function findTailOffset(artifact: Artifact, lines: number): Promise<number> {
  const { totalBytes } = artifact;
  for (const size of SEARCH_BYTES) {
    const { from, bytes } = await artifact.bytes({ from: Math.max(0, totalBytes - size), to: totalBytes });
    const start = findLineStart(bytes, lines);
    if (start > 0 || from === 0) return from + start;
  }
  return Math.max(0, totalBytes - (SEARCH_BYTES.at(-1) ?? 0));
}

function findLineStart(bytes: Buffer, lines: number): number {
  // The final newline does not start another line.
  let at = bytes.length - 1;
  for (let found = 0; found < lines; found += 1) {
    if (at <= 0) return 0;
    at = bytes.lastIndexOf(NEWLINE, at - 1);
    if (at === -1) return 0;
  }
  return at + 1;
}

function renderJobEnd({ id, state, exitCode, signal, status }: JobInfo): string {
  return `Job ${id} ${state}: ${signal ?? (exitCode === null ? status : `exit code ${exitCode}`)}`;
}
