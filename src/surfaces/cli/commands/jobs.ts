import { constants } from 'node:os';
import { type JobInfo, type Jobs, type KillOptions, openJobs } from '../../../index.ts';
import { type Command, defineCommand } from '../args/command.ts';
import { type Flag, type Flags, type FlagValues, seconds, text, toggle, usageError } from '../args/flag.ts';
import { complain, print } from '../print.ts';
import { oneLine, renderAge, renderTable } from '../render-table.ts';
import { resolveStateDirectory } from '../state-directory.ts';

const FLAGS = {
  session: text('<name>', 'Only jobs of this session (default: all)'),
  running: toggle('Only jobs that still run'),
  signal: signalFlag('Send exactly this signal (default: TERM)'),
  escalate: toggle('End it for certain: TERM, then KILL'),
  grace: seconds('Wait this long between the two (default: 2)', 15),
  json: toggle('Print JSON'),
} as const satisfies Flags;

type JobFlags = FlagValues<typeof FLAGS>;

export const command: Command = defineCommand({
  usage: 'jobs [list] [options] | nacre jobs kill <id> [options]',
  summary: 'List jobs, or end one',
  flags: FLAGS,
  verbs: { list: 'All jobs, newest first', kill: 'Send a signal to a job' },
  notes: ['Exit status of kill: 0 when the signal was sent or the job is gone, 1 when not.'],
  examples: ['nacre jobs --running', 'nacre jobs kill <id> --escalate', 'nacre jobs kill <id> --signal HUP'],
  act: async ({ flags, words }) => {
    const [verb = 'list', ...ids] = words;
    const jobs = openJobs({ stateDirectory: resolveStateDirectory(), session: flags.session ?? null });
    if (verb === 'list') return list(jobs, flags, ids);
    if (verb === 'kill') return kill(jobs, flags, ids);
    throw usageError(`jobs takes list or kill, got ${JSON.stringify(verb)}.`);
  },
});

function list(jobs: Jobs, flags: JobFlags, words: readonly string[]): number {
  if (words.length > 0) throw usageError(`jobs list takes no words, got ${JSON.stringify(words[0])}.`);
  refuse(flags, ['signal', 'escalate', 'grace'], 'kill');
  const found = jobs.list().filter(({ state }) => !flags.running || state === 'running');
  if (flags.json) print(`${JSON.stringify(found)}\n`);
  else if (found.length > 0)
    print(`${renderTable([['ID', 'STATE', 'PID', 'AGE', 'COMMAND'], ...found.map(toRow)])}\n`);
  return 0;
}

function toRow({ id, state, exitCode, signal, pid, startedAt, label }: JobInfo): string[] {
  const how = signal ?? exitCode ?? '';
  return [
    id,
    state === 'failed' ? `failed ${how}`.trim() : state,
    String(pid ?? '-'),
    renderAge(startedAt),
    oneLine(label),
  ];
}

async function kill(jobs: Jobs, flags: JobFlags, [id, ...more]: readonly string[]): Promise<number> {
  if (id === undefined || more.length > 0) throw usageError('jobs kill takes the id of one job.');
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

function toKillOptions(flags: JobFlags): KillOptions {
  refuse(flags, ['running'], 'list');
  const { signal, escalate, grace } = flags;
  if (escalate && signal) throw usageError('--escalate and --signal cannot go together.');
  if (grace !== undefined && !escalate) throw usageError('--grace needs --escalate.');
  if (escalate) return { escalate, graceMs: Math.round((grace ?? 2) * 1000) };
  return signal === undefined ? {} : { signal };
}

function refuse(flags: JobFlags, names: readonly (keyof JobFlags)[], verb: string): void {
  const found = names.find((name) => flags[name] !== undefined);
  if (found !== undefined) throw usageError(`--${found} is for nacre jobs ${verb}.`);
}

function signalFlag(help: string): Flag<NodeJS.Signals> {
  return { value: '<signal>', help, expected: 'a signal such as TERM or 15', parse: parseSignal };
}

/** `TERM`, `SIGTERM`, `term` and `15` are one. */
function parseSignal(word: string): NodeJS.Signals | undefined {
  const known = Object.entries(constants.signals) as [NodeJS.Signals, number][];
  const name = word.toUpperCase().replace(/^(?!SIG)/, 'SIG');
  return known.find(([signal, number]) => signal === name || String(number) === word)?.[0];
}
