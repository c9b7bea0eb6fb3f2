import { isatty } from 'node:tty';
import { type Jobs, openArtifacts, openJobs } from '../../../index.ts';
import { resolveStateDirectory } from '../../config/settings.ts';
import { listenForStopSignals } from '../../serving/stop-signals.ts';
import { type CliCommand, defineCommand } from '../command.ts';
import { usageError } from '../flags.ts';
import { checkJobFlags, JOB_FLAGS, type JobFlags, requireJobId } from './job-flags.ts';

const VERBS = {
  list: 'List running jobs, newest first; nacre jobs alone opens a live list on a terminal',
  peek: 'Show the last lines of a job',
  tail: 'Print the end of the raw output; with -f also new output',
  wait: 'Wait until a job ends, prints a line or opens a port',
  send: 'Send a line, keys or the end of input to a job',
  kill: 'Send a signal to one job or several',
  prune: 'Delete ended jobs and their output',
} as const;

type Verb = keyof typeof VERBS;

export const command: CliCommand = defineCommand({
  usage: 'jobs [list|peek|tail|wait|send|kill|prune] [options] [<id>...] [<line>]',
  summary: 'List, read, wait for, answer and stop background jobs',
  flags: JOB_FLAGS,
  verbs: VERBS,
  examples: ['nacre jobs wait <id> --for port:5173 --timeout 60'],
  act: async ({ flags, words }) => {
    const [verb, ...rest] = words;
    if (verb !== undefined && !Object.hasOwn(VERBS, verb))
      throw usageError(`jobs takes ${Object.keys(VERBS).join(', ')}, got ${JSON.stringify(verb)}.`);
    checkJobFlags(flags, verb ?? 'list');
    if (flags.all && flags.running) throw usageError('--all and --running cannot be combined.');
    const stateDirectory = resolveStateDirectory();
    const session = flags.session ?? null;
    if (verb === undefined && !flags.json && isatty(0) && isatty(1)) {
      const { openJobList } = await import('../../console/watch.ts');
      const stop = listenForStopSignals();
      await openJobList({ stateDirectory, session, onlyRunning: flags.running ?? false, stop });
      return stop.exitStatus() ?? 0;
    }
    const jobs = openJobs({ stateDirectory, session });
    return runJobAction((verb ?? 'list') as Verb, { jobs, flags, words: rest, stateDirectory, session });
  },
});

interface JobsRequest {
  readonly jobs: Jobs;
  readonly flags: JobFlags;
  readonly words: readonly string[];
  readonly stateDirectory: string;
  readonly session: string | null;
}

async function runJobAction(verb: Verb, request: JobsRequest): Promise<number> {
  const { jobs, flags, words } = request;
  const actions = await import('./job-actions.ts');
  if (verb === 'list') return actions.listJobs(jobs, flags, words);
  if (verb === 'tail') return tail(request);
  return actions[verb](jobs, flags, words);
}

async function tail({ jobs, flags, words, stateDirectory, session }: JobsRequest): Promise<number> {
  if (flags.json) throw usageError('jobs tail prints raw output. Use peek for --json.');
  const { tailJob } = await import('./job-actions.ts');
  const { lines = 20, follow = false } = flags;
  const options = { id: requireJobId(words, 'tail'), lines, follow };
  return tailJob(jobs, openArtifacts({ stateDirectory, session }), options);
}
