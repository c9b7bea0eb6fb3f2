import { constants } from 'node:os';
import {
  countFlag,
  type Flag,
  type FlagValues,
  type JobCondition,
  jobConditionFlag,
  secondsFlag,
  switchFlag,
  textFlag,
  toFlagName,
  usageError,
} from '../flags.ts';

export type JobFlagTable = {
  readonly session: Flag<string>;
  readonly all: Flag<boolean>;
  readonly running: Flag<boolean>;
  readonly lines: Flag<number>;
  readonly follow: Flag<boolean>;
  readonly for: Flag<JobCondition>;
  readonly timeout: Flag<number>;
  readonly key: Flag<readonly string[]>;
  readonly signal: Flag<NodeJS.Signals>;
  readonly escalate: Flag<boolean>;
  readonly grace: Flag<number>;
  readonly olderThan: Flag<number>;
  readonly json: Flag<boolean>;
};

export const JOB_FLAGS: JobFlagTable = {
  session: textFlag('<name>', 'Only jobs of this session (default: all)'),
  all: switchFlag('list: also ended jobs (default: only running jobs)'),
  running: switchFlag('live list: only running jobs (default: also ended jobs)'),
  lines: countFlag('<n>', 'peek, tail: number of lines (default: 50, tail 20)'),
  follow: { ...switchFlag('tail: follow until the job ends'), short: 'f' },
  for: jobConditionFlag('wait: until a line matches or port:<n> is open (default: until the jobs end)'),
  timeout: secondsFlag('wait: time limit (default: none)'),
  key: keys('send: a key after the line, such as ctrl-c; may be repeated'),
  signal: signalFlag('kill: send exactly this signal (default: TERM)'),
  escalate: switchFlag('kill: SIGTERM, then SIGKILL after the grace period'),
  grace: secondsFlag('kill: grace period of --escalate (default: 2)', 15),
  olderThan: days('prune: only jobs that ended at least <days> ago (default: 0)'),
  json: switchFlag('Print JSON'),
};

export type JobFlags = FlagValues<JobFlagTable>;

/** The options of each action; `session` and `json` apply to all. */
const FLAGS_BY_ACTION: Readonly<Record<string, readonly (keyof JobFlags)[]>> = {
  list: ['all', 'running'],
  peek: ['lines'],
  tail: ['lines', 'follow'],
  wait: ['for', 'timeout'],
  send: ['key'],
  kill: ['signal', 'escalate', 'grace'],
  prune: ['olderThan'],
};

/** Rejects options that have no effect for an action. */
export function checkJobFlags(flags: JobFlags, verb: string): void {
  const taken = FLAGS_BY_ACTION[verb] ?? [];
  for (const name of Object.keys(flags) as (keyof JobFlags)[]) {
    if (name === 'session' || name === 'json' || taken.includes(name)) continue;
    const owner = Object.keys(FLAGS_BY_ACTION).find((each) => FLAGS_BY_ACTION[each]?.includes(name));
    throw usageError(`${toFlagName(name)} is for nacre jobs ${owner}.`);
  }
}

/** The single job id of an action. */
export function requireJobId(words: readonly string[], verb: string): string {
  const [id, ...more] = words;
  if (id === undefined || more.length > 0) throw usageError(`jobs ${verb} takes the id of one job.`);
  return id;
}

function keys(help: string): Flag<readonly string[]> {
  return {
    value: '<key>',
    help,
    expected: 'the name of a key',
    parse: (word) => (word === '' ? undefined : [word]),
    join: (before, next) => [...before, ...next],
  };
}

function days(help: string): Flag<number> {
  return {
    value: '<days>',
    help,
    expected: 'a number of days from 0',
    parse: (word) => (/^\d+(\.\d+)?$/.test(word) ? Number(word) : undefined),
  };
}

function signalFlag(help: string): Flag<NodeJS.Signals> {
  return { value: '<signal>', help, expected: 'a signal such as TERM or 15', parse: parseSignal };
}

/** Accepts `TERM`, `SIGTERM`, `term` and `15`. */
function parseSignal(word: string): NodeJS.Signals | undefined {
  const known = Object.entries(constants.signals) as [NodeJS.Signals, number][];
  const name = word.toUpperCase().replace(/^(?!SIG)/, 'SIG');
  return known.find(([signal, number]) => signal === name || String(number) === word)?.[0];
}
