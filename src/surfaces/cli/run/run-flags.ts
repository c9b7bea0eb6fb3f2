import { type ParsedArgs, parseWithCommand } from '../command.ts';
import {
  choiceFlag,
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
  variablesFlag,
} from '../flags.ts';
import { cwdFlag, hostFlag, outputMaxBytesFlag, profileFlag } from '../session-flags.ts';

/** Options of `nacre run` that start a job. */
export type JobStartFlags = {
  readonly async: Flag<boolean>;
  readonly service: Flag<string>;
  readonly ready: Flag<JobCondition>;
  readonly restart: Flag<string>;
  readonly openInput: Flag<boolean>;
  readonly pty: Flag<boolean>;
  readonly array: Flag<string>;
};

export const JOB_START_FLAGS: JobStartFlags = {
  async: switchFlag('Start a job and return at once'),
  service: textFlag('<name>', 'Start a service with this name and return when it is ready'),
  ready: jobConditionFlag('service: ready when port:<n> is open or a line matches log:<pattern>'),
  restart: choiceFlag(
    '<when>',
    ['never', 'on-failure', 'always'],
    'service: restart it never, on-failure or always (default: never)',
  ),
  openInput: switchFlag('async, service: keep stdin open for nacre jobs send'),
  pty: switchFlag('async: run on a terminal, for nacre jobs peek and send'),
  array: textFlag('<tasks>', 'slurm: one job per task number, such as 0-15 or 0-31%4'),
};

const SERVICE_FLAGS = ['ready', 'restart'] as const;

/** Rejects job options that have no effect. */
export function checkJobStartFlags(flags: FlagValues<JobStartFlags>, profile: string): void {
  const names = Object.keys(JOB_START_FLAGS) as (keyof JobStartFlags)[];
  const given = names.find((name) => flags[name] !== undefined);
  if (profile !== 'agent' && given) throw usageError(`${toFlagName(given)} needs the profile agent.`);
  const lonely =
    flags.service === undefined ? SERVICE_FLAGS.find((name) => flags[name] !== undefined) : undefined;
  if (lonely) throw usageError(`${toFlagName(lonely)} needs --service.`);
  if (flags.openInput && !startsJob(flags)) throw usageError('--open-input needs --async or --service.');
  if (flags.pty && !flags.async) throw usageError('--pty needs --async. The console has /pty.');
  if (flags.pty && flags.openInput) throw usageError('--pty and --open-input cannot be combined.');
}

export function startsJob({ async, service, array }: FlagValues<JobStartFlags>): boolean {
  return async === true || service !== undefined || array !== undefined;
}

/** Converts job options to fields of the call. */
export function toJobFields(flags: FlagValues<JobStartFlags>): Record<string, unknown> {
  const { async, service, ready, restart, openInput, pty, array } = flags;
  return {
    ...(async === undefined ? {} : { async }),
    ...(openInput ? { stdin: { open: true } } : {}),
    ...(pty ? { pty: true } : {}),
    ...(array === undefined ? {} : { array }),
    ...(service === undefined
      ? {}
      : {
          service: {
            name: service,
            ...(ready === undefined ? {} : { ready: toReadyCondition(ready) }),
            ...(restart === undefined ? {} : { restart }),
          },
        }),
  };
}

function toReadyCondition(what: JobCondition): { readonly log: string } | { readonly port: number } {
  return 'port' in what ? what : { log: what.pattern.source };
}

export type RunFlags = {
  readonly cwd: Flag<string>;
  readonly timeout: Flag<number>;
  readonly grace: Flag<number>;
  readonly env: Flag<Readonly<Record<string, string>>>;
  readonly profile: Flag<string>;
  readonly mode: Flag<string>;
  readonly session: Flag<string>;
  readonly host: Flag<string>;
  readonly view: Flag<boolean>;
  readonly json: Flag<boolean>;
  readonly head: Flag<number>;
  readonly tail: Flag<number>;
  readonly raw: Flag<boolean>;
  readonly outputMaxBytes: Flag<number>;
} & JobStartFlags;

export const RUN_FLAGS: RunFlags = {
  cwd: cwdFlag,
  timeout: secondsFlag('Time limit, 0 for none (default: 0; 300 with --view, --json)'),
  grace: secondsFlag('Grace period between SIGTERM and SIGKILL (default: 2)', 15),
  env: { ...variablesFlag('Set an environment variable; may be repeated'), short: 'e' },
  profile: profileFlag,
  mode: choiceFlag(
    '<mode>',
    ['default', 'slow', 'background'],
    'For the profile modes: default, slow or background',
  ),
  session: textFlag('<name>', 'Use this session and its shell state (default: cli, without state)'),
  host: hostFlag,
  view: switchFlag('Print the result as a model sees it'),
  json: switchFlag('Print the whole result as one JSON object'),
  head: countFlag('<lines>', 'Show only the first lines, with --view or --json'),
  tail: countFlag('<lines>', 'Show only the last lines, with --view or --json'),
  raw: switchFlag('Do not condense output that does not fit, with --view or --json'),
  outputMaxBytes: {
    ...outputMaxBytesFlag,
    help: 'Show at most this much output, such as 10KiB, with --view or --json',
  },
  ...JOB_START_FLAGS,
};

export type RunArgs = ParsedArgs<RunFlags>;

/** Parses the arguments of `nacre run`. */
export const parseRunArgs = (args: readonly string[]): RunArgs => parseWithCommand(args, RUN_FLAGS);

/** Options of the view of the profile `agent`. */
const VIEW_FLAGS = ['head', 'tail', 'raw', 'outputMaxBytes'] as const;

/** Rejects options that have no effect. */
export function checkRunFlags({ flags }: RunArgs, profile: string): void {
  if (flags.view && flags.json) throw usageError('--view and --json cannot be combined.');
  checkJobStartFlags(flags, profile);
  const cut = VIEW_FLAGS.find((name) => flags[name] !== undefined);
  if (profile !== 'agent' && cut) throw usageError(`${toFlagName(cut)} needs the profile agent.`);
  if (profile !== 'modes' && flags.mode) throw usageError('--mode needs the profile modes.');
  if (cut && !flags.view && !flags.json) throw usageError(`${toFlagName(cut)} needs --view or --json.`);
}
