import {
  choice,
  count,
  type Flag,
  seconds,
  text,
  toggle,
  toOption,
  usageError,
  variables,
} from '../args/flag.ts';
import { type ParsedArgs, parseArgs } from '../args/parse-args.ts';
import { profile } from '../args/session-flags.ts';
import { checkJobStart, JOB_START_FLAGS, type JobStartFlags } from './job-start-flags.ts';

export type RunFlags = {
  readonly cwd: Flag<string>;
  readonly timeout: Flag<number>;
  readonly grace: Flag<number>;
  readonly env: Flag<Readonly<Record<string, string>>>;
  readonly profile: Flag<string>;
  readonly mode: Flag<string>;
  readonly session: Flag<string>;
  readonly on: Flag<string>;
  readonly view: Flag<boolean>;
  readonly json: Flag<boolean>;
  readonly head: Flag<number>;
  readonly tail: Flag<number>;
  readonly raw: Flag<boolean>;
} & JobStartFlags;

export const RUN_FLAGS: RunFlags = {
  cwd: text('<dir>', 'Run in this directory'),
  timeout: seconds('Stop it after this long, 0 for never (default: 0; 300 with --view, --json)'),
  grace: seconds('Wait this long between TERM and KILL (default: 2)', 15),
  env: variables('Set a variable; may be given several times'),
  profile,
  mode: choice(
    '<mode>',
    ['default', 'slow', 'background'],
    'For the profile modes: default, slow or background',
  ),
  session: text('<name>', 'Belong to this session and keep its shell state (default: cli, without state)'),
  on: text('<host>', 'Run it there: sandbox, ssh:<destination>, or a host of the settings'),
  view: toggle('Print what a model would see'),
  json: toggle('Print the whole result as one JSON object'),
  head: count('<lines>', 'Show only the first lines, with --view or --json'),
  tail: count('<lines>', 'Show only the last lines, with --view or --json'),
  raw: toggle('Leave no dull lines out of what does not fit, with --view or --json'),
  ...JOB_START_FLAGS,
};

export type RunArgs = ParsedArgs<RunFlags>;

/**
 * Options come before the command, or after a command that is one argument: `run 'npm test' --json`.
 * In `run ls -la` everything from `ls` on is the command, since `-la` is no option of ours.
 */
export function parseRunArgs(args: readonly string[]): RunArgs {
  const before = parseArgs(args, RUN_FLAGS, 'first');
  const [command = '', ...rest] = before.words;
  if (before.fenced || rest.length === 0 || !rest[0]?.startsWith('-')) return before;
  // A word with a space in it is a command text, so what follows can only be meant for us.
  if (!/\s/.test(command) && !areOurs(rest)) return before;
  const after = parseArgs(rest, RUN_FLAGS);
  return { ...before, flags: { ...before.flags, ...after.flags }, words: [command, ...after.words] };
}

function areOurs(words: readonly string[]): boolean {
  try {
    return parseArgs(words, RUN_FLAGS).words.length === 0;
  } catch {
    return false;
  }
}

/** Refuses options that would be read and then have no effect. */
export function checkRunFlags({ flags }: RunArgs, profile: string): void {
  if (flags.view && flags.json) throw usageError('--view and --json cannot go together.');
  checkJobStart(flags, profile);
  const agentOnly = (['head', 'tail', 'raw'] as const).find((name) => flags[name] !== undefined);
  if (profile !== 'agent' && agentOnly) throw usageError(`${toOption(agentOnly)} needs the profile agent.`);
  if (profile !== 'modes' && flags.mode) throw usageError('--mode needs the profile modes.');
  const cut = (['head', 'tail', 'raw'] as const).find((name) => flags[name] !== undefined);
  if (cut && !flags.view && !flags.json) throw usageError(`${toOption(cut)} needs --view or --json.`);
}
