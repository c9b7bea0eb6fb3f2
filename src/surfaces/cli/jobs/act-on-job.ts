import { NacreError } from '../../../errors.ts';
import type { JobInfo, Jobs, JobWait, KillOptions, SendOptions, WaitingForInput } from '../../../index.ts';
import { usageError } from '../args/flag.ts';
import { complain, print } from '../print.ts';
import { type JobFlags, requireId } from './job-flags.ts';

const TIMED_OUT = 124;
/** The job does not listen: nothing of ours has failed. */
const UNSENT: ReadonlySet<string> = new Set(['input_closed', 'input_full']);

/** The last lines as text, without what would move a cursor, and whether it waits for somebody. */
export async function peek(jobs: Jobs, flags: JobFlags, words: readonly string[]): Promise<number> {
  const id = requireId(words, 'peek');
  const output = await jobs.peek(id, flags.lines === undefined ? {} : { lines: flags.lines });
  const waiting = (await jobs.watch()).look([id]).get(id)?.waitingForInput ?? null;
  if (flags.json) {
    print(`${JSON.stringify({ ...output, ...(waiting === null ? {} : { waitingForInput: waiting }) })}\n`);
    return 0;
  }
  print(output.text === '' || output.text.endsWith('\n') ? output.text : `${output.text}\n`);
  for (const note of output.notes) complain(note);
  if (waiting !== null) complain(renderWaiting(waiting, id));
  return 0;
}

function renderWaiting({ command, pid, canSend, echoOff }: WaitingForInput, id: string): string {
  const hidden = echoOff ? ', and does not show what is typed' : '';
  const remedy = canSend
    ? `nacre jobs send ${id} <line> answers it`
    : 'nothing can be sent to it; start it with --open-input or --pty to answer it';
  return `${command.slice(0, 60)} (pid ${pid}) is waiting for input${hidden}: ${remedy}`;
}

/** Ends as the job did; for a line or a port with 0 when it came. */
export async function wait(jobs: Jobs, flags: JobFlags, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) throw usageError('jobs wait takes the id of a job, or several.');
  const { for: condition = {}, timeout } = flags;
  const limit = timeout === undefined ? {} : { timeoutMs: timeout * 1_000 };
  const waited = await jobs.wait(ids, { ...condition, ...limit, mode: 'all' });
  if (flags.json) print(`${JSON.stringify(waited)}\n`);
  else for (const { job, met } of waited.jobs) print(`${job.id} ${renderState(job)}${renderMet(met)}\n`);
  return toStatus(waited);
}

function toStatus({ why, jobs }: JobWait): number {
  if (why === 'time') return TIMED_OUT;
  if (why === 'never' || why === 'input') return 1;
  const ended = jobs.filter(({ met }) => met?.kind === 'ended').map(({ job }) => job.exitCode ?? 1);
  return ended.find((code) => code !== 0) ?? 0;
}

function renderState({ state, exitCode, signal, status }: JobInfo): string {
  return state === 'running' ? state : `${state} ${signal ?? exitCode ?? status}`;
}

function renderMet(met: JobWait['jobs'][number]['met']): string {
  if (met?.kind === 'port') return ` port ${met.port} answers`;
  return met?.kind === 'output' ? ` ${met.line}` : '';
}

/** The words are a line; keys come after it. */
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
    if (flags.json || !(error instanceof NacreError) || !UNSENT.has(error.code)) throw error;
    complain(error.message);
    return 1;
  }
  if (flags.json) print(`${JSON.stringify(jobs.find(id))}\n`);
  return 0;
}

export async function kill(jobs: Jobs, flags: JobFlags, words: readonly string[]): Promise<number> {
  const id = requireId(words, 'kill');
  const how = toKillOptions(flags);
  if (jobs.find(id).state !== 'running') {
    complain(`Job ${id} has ended already.`);
    return 1;
  }
  const { job, survivors } = await jobs.kill(id, how);
  if (flags.json) print(`${JSON.stringify({ job, survivors })}\n`);
  for (const { pid, command: what } of survivors) complain(`Still alive: ${pid} ${what}`);
  return survivors.length === 0 ? 0 : 1;
}

export function toKillOptions({ signal, escalate, grace }: JobFlags): KillOptions {
  if (escalate && signal) throw usageError('--escalate and --signal cannot go together.');
  if (grace !== undefined && !escalate) throw usageError('--grace needs --escalate.');
  if (escalate) return { escalate, graceMs: Math.round((grace ?? 2) * 1000) };
  return signal === undefined ? {} : { signal };
}

export async function prune(jobs: Jobs, flags: JobFlags, words: readonly string[]): Promise<number> {
  if (words.length > 0) throw usageError(`jobs prune takes no words, got ${JSON.stringify(words[0])}.`);
  const removed = await jobs.prune({ olderThanMs: (flags.olderThan ?? 0) * 86_400_000 });
  print(flags.json ? `${JSON.stringify({ removed })}\n` : `Forgot ${removed} jobs.\n`);
  return 0;
}
