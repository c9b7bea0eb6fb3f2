import { resolve } from 'node:path';
import type { BashOptions, CallInput } from '../../../index.ts';
import { loadSettings } from '../../config/load-settings.ts';
import { toOptions } from '../../config/to-options.ts';
import { usageError } from '../args/flag.ts';
import { startsJob, toJobFields } from './job-start-flags.ts';
import { joinWords } from './join-words.ts';
import { checkRunFlags, type RunArgs } from './run-flags.ts';

/** What becomes of the output. `raw`: it passes through as it comes. */
export type Showing = 'raw' | 'view' | 'json';

/** What a command line asks of the library. */
export interface RunPlan {
  readonly options: BashOptions;
  readonly input: CallInput;
  readonly showing: Showing;
}

/** Options win over settings; what neither names is the library's to decide. */
export function planRun(args: RunArgs): RunPlan {
  const { flags, words } = args;
  if (words.length === 0) throw usageError('There is no command to run.');
  const cwd = resolve(flags.cwd ?? '.');
  const settings = toOptions(loadSettings({ cwd, env: process.env }));
  const profile = flags.profile ?? settings.profile ?? 'agent';
  checkRunFlags(args, profile);
  // A person waits to the end.
  const async = { ...settings.async, autoBackground: { enabled: false } };
  const base: BashOptions = { session: 'cli', ...settings, cwd, profile: profile as 'agent', async };
  const options = {
    ...base,
    // Who names no session does not expect one command to know of another.
    ...(flags.session === undefined ? { shellState: false } : { session: flags.session }),
    ...given({ host: flags.on, graceMs: toMs(flags.grace) }),
  };
  const command = words.length === 1 ? (words[0] ?? '') : joinWords(words);
  const showing = showingOf(args);
  if (profile === 'agent')
    return { options, input: agentInput(args, { command, showing, settings }), showing };
  const timeoutMs = toMs(flags.timeout);
  const limits = { timeoutMs, slowTimeoutMs: timeoutMs, env: flags.env };
  return {
    options: { ...options, ...given(limits) },
    input: { command, ...given({ mode: flags.mode }) },
    showing,
  };
}

interface AgentCall {
  readonly command: string;
  readonly showing: Showing;
  readonly settings: BashOptions;
}

function agentInput({ flags }: RunArgs, { command, showing, settings }: AgentCall): CallInput {
  // A person waits as long as it takes; a model gets its limit.
  const byDefault = showing === 'raw' && settings.timeoutMs === undefined ? 0 : undefined;
  const { env, head, tail, raw } = flags;
  const timeout = flags.timeout ?? byDefault;
  const cwd = cwdOfCall(flags, settings);
  return { command, ...given({ cwd, timeout, env, head, tail, raw }), ...toJobFields(flags) };
}

/** A session may be somewhere else by now: a directory that is named is for this command; on another machine, too. */
function cwdOfCall({ cwd, on, session }: RunArgs['flags'], settings: BashOptions): string | undefined {
  if (cwd === undefined) return undefined;
  if (isElsewhere(on, settings)) return cwd;
  return session === undefined ? undefined : resolve(cwd);
}

/** Whether a directory is meant on another machine: then it is not ours to look for. */
function isElsewhere(on: string | undefined, { host, hosts = {} }: BashOptions): boolean {
  const name = on ?? host;
  if (typeof name !== 'string' || name === 'local') return false;
  const type = hosts[name]?.type ?? name.split(/[:/]/)[0];
  return type !== 'sandbox';
}

/** A job has no output yet: what there is to show is its id. */
function showingOf({ flags }: RunArgs): Showing {
  if (flags.json) return 'json';
  return flags.view || startsJob(flags) || flags.mode === 'background' ? 'view' : 'raw';
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1000);
}

function given<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}
