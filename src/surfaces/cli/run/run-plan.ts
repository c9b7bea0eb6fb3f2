import { resolve } from 'node:path';
import type { BashOptions, CallInput } from '../../../index.ts';
import { loadSettings, toBashOptions } from '../../config/settings.ts';
import { usageError } from '../flags.ts';
import { checkRunFlags, type RunArgs, startsJob, toJobFields } from './run-flags.ts';

/** One argument is a command text. Several arguments are the words of a command. */
export function toCommandText(words: readonly string[]): string {
  return words.length === 1 ? (words[0] ?? '') : quoteWords(words);
}

/** Quotes words as one command text that bash splits into exactly these words. */
export function quoteWords(words: readonly string[]): string {
  return words
    .map((word, at) => (needsNoQuotes(word) && !isAssignment(word, at) ? word : singleQuote(word)))
    .join(' ');
}

function needsNoQuotes(word: string): boolean {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word);
}

/** `A=1` as the first word is a program name, as for `execvp`. */
function isAssignment(word: string, at: number): boolean {
  return at === 0 && word.includes('=');
}

function singleQuote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** How output is shown. `raw`: forwarded unchanged. `id`: only the id of the started job. */
export type RunOutputMode = 'raw' | 'id' | 'view' | 'json';

/** The options and the input of the call that a command line asks for. */
export interface RunPlan {
  readonly options: BashOptions;
  readonly input: CallInput;
  readonly outputMode: RunOutputMode;
}

/** Plans a run: options override settings, settings override the library's defaults. */
export function planRun(args: RunArgs): RunPlan {
  const { flags, words } = args;
  if (words.length === 0) throw usageError('No command given.');
  const cwd = resolve(flags.cwd ?? '.');
  const settings = toBashOptions(loadSettings({ cwd, env: process.env }));
  const profile = flags.profile ?? settings.profile ?? 'agent';
  checkRunFlags(args, profile);
  // A command on a terminal is never moved to the background automatically.
  const async = { ...settings.async, autoBackground: { enabled: false } };
  const base: BashOptions = { session: 'cli', ...settings, cwd, profile: profile as 'agent', async };
  const options = {
    ...base,
    // Without a session name a command does not share shell state with others.
    ...(flags.session === undefined ? { shellState: false } : { session: flags.session }),
    ...withoutUndefined({ host: flags.host, graceMs: toMs(flags.grace) }),
    ...(flags.outputMaxBytes === undefined ? {} : { output: { maxBytes: flags.outputMaxBytes } }),
  };
  const command = toCommandText(words);
  const outputMode = toOutputMode(args);
  if (profile === 'agent')
    return { options, input: agentInput(args, { command, outputMode, settings }), outputMode };
  const timeoutMs = toMs(flags.timeout);
  const limits = { timeoutMs, slowTimeoutMs: timeoutMs, env: flags.env };
  return {
    options: { ...options, ...withoutUndefined(limits) },
    input: { command, ...withoutUndefined({ mode: flags.mode }) },
    outputMode,
  };
}

interface AgentCall {
  readonly command: string;
  readonly outputMode: RunOutputMode;
  readonly settings: BashOptions;
}

function agentInput({ flags }: RunArgs, { command, outputMode, settings }: AgentCall): CallInput {
  // Interactive use has no time limit by default; the view for models keeps it.
  const byDefault = outputMode === 'raw' && settings.timeoutMs === undefined ? 0 : undefined;
  const { env, head, tail, raw } = flags;
  const timeout = flags.timeout ?? byDefault;
  const cwd = cwdOfCall(flags, settings);
  return { command, ...withoutUndefined({ cwd, timeout, env, head, tail, raw }), ...toJobFields(flags) };
}

/**
 * The directory of this call. In a named session or on a remote host `--cwd` applies to the call, because the
 * session may have changed its directory.
 */
function cwdOfCall({ cwd, host, session }: RunArgs['flags'], settings: BashOptions): string | undefined {
  if (cwd === undefined) return undefined;
  if (isRemoteHost(host ?? settings.host, settings.hosts)) return cwd;
  return session === undefined ? undefined : resolve(cwd);
}

/** Whether commands run on another host, where the directory cannot be checked locally. */
function isRemoteHost(name: BashOptions['host'], hosts: BashOptions['hosts'] = {}): boolean {
  if (typeof name !== 'string' || name === 'local') return false;
  const type = hosts[name]?.type ?? name.split(/[:/]/)[0];
  return type !== 'sandbox';
}

/** A service or an array has more to report than an id, so the view is shown. */
function toOutputMode({ flags }: RunArgs): RunOutputMode {
  if (flags.json) return 'json';
  if (flags.async && !flags.view && flags.service === undefined && flags.array === undefined) return 'id';
  return flags.view || startsJob(flags) || flags.mode === 'background' ? 'view' : 'raw';
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1000);
}

function withoutUndefined<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}
