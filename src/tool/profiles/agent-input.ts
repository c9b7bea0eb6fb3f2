import type { CallInput } from '../hooks.ts';
import { parseArray } from '../hosts/array.ts';
import type { WiderSandbox } from '../hosts/wider.ts';
import { badInput } from '../input/check-input.ts';
import type { RestartPolicy, ServiceRequest } from '../job/service/service.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import type { CallRequest, CallStdin } from '../planning/request.ts';
import type { TimeLimit } from '../planning/time-limit.ts';
import { fixedLimit, toTimeLimit } from '../planning/time-limit.ts';

/** A person reads it. */
const MOST_REASON = 1000;

interface AgentInput {
  readonly command: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeout?: number;
  readonly wait?: number;
  readonly head?: number;
  readonly tail?: number;
  readonly raw?: boolean;
  readonly stdin?: string | { readonly open: true };
  readonly pty?: boolean;
  readonly async?: boolean;
  readonly service?: ServiceInput;
  readonly sandbox?: WiderSandbox;
  readonly array?: string;
}

interface ServiceInput {
  readonly name: string;
  readonly ready?: { readonly log?: string; readonly port?: number };
  readonly restart?: RestartPolicy;
}

/** What a call of the `agent` profile asks for. */
export function toAgentRequest(checked: CallInput, options: ResolvedOptions): CallRequest {
  const input = checked as unknown as AgentInput;
  checkWait(input);
  checkPty(input);
  checkArray(input);
  const background = input.async === true || input.service !== undefined || input.array !== undefined;
  return {
    command: input.command,
    cwd: input.cwd ?? null,
    env: input.env ?? {},
    timeLimit: timeLimitOf(input, { background, options }),
    head: input.head ?? null,
    tail: input.tail ?? null,
    raw: input.raw === true,
    stdin: toStdin(input.stdin),
    pty: input.pty === true,
    waitMs: waitOf(input, options),
    background,
    service: toService(input.service),
    sandbox: toSandbox(input.sandbox),
    array: input.array === undefined ? null : parseArray(input.array, options.async.maxJobs),
  };
}

/** A wait that nothing would come of is a mistake to be told. */
function checkWait({ async, service, wait }: AgentInput): void {
  if (wait === undefined) return;
  if (async === true) throw badInput('wait', 'cannot go with async: true, which does not wait');
  if (service !== undefined && service.ready === undefined)
    throw badInput('wait', 'is the time for service.ready here, which is not given');
}

/** What a terminal reads is typed while it runs. */
function checkPty({ pty, stdin }: AgentInput): void {
  if (pty === true && typeof stdin === 'string')
    throw badInput('stdin', 'cannot be a text with pty: true; send it with the job tool');
}

/** What is for one command alone. */
function checkArray({ array, service, wait, stdin }: AgentInput): void {
  if (array === undefined) return;
  const others = { service, wait, stdin: typeof stdin === 'object' ? stdin : undefined };
  const other = Object.entries(others).find(([, value]) => value !== undefined)?.[0];
  if (other !== undefined) throw badInput('array', `cannot go with ${other}`);
}

function waitOf({ async, wait }: AgentInput, { async: jobs }: ResolvedOptions): number | null {
  if (async === true) return 0;
  if (wait !== undefined) return wait * 1_000;
  return jobs.enabled && jobs.autoBackground.enabled ? jobs.autoBackground.afterMs : null;
}

function timeLimitOf(
  { timeout }: AgentInput,
  { background, options }: { readonly background: boolean; readonly options: ResolvedOptions },
): TimeLimit {
  // The ceiling is for what a call asks for: a job that names no limit has its own.
  if (background && timeout === undefined) return fixedLimit(options.jobTimeoutMs);
  const { timeoutMs: defaultMs, maxTimeoutMs: maxMs } = options;
  return toTimeLimit({ requestedSeconds: timeout, defaultMs, maxMs });
}

function toStdin(stdin: AgentInput['stdin']): CallStdin | null {
  if (stdin === undefined) return null;
  return typeof stdin === 'string' ? { kind: 'text', text: stdin } : { kind: 'open' };
}

/** A person decides by the reason: one that says nothing is none. */
function toSandbox(sandbox: WiderSandbox | undefined): WiderSandbox | null {
  if (sandbox === undefined) return null;
  if (sandbox.reason.trim() === '') throw badInput('sandbox.reason', 'is empty; say what it is needed for');
  if (sandbox.reason.length > MOST_REASON)
    throw badInput('sandbox.reason', `has ${sandbox.reason.length} characters and may have ${MOST_REASON}`);
  return sandbox;
}

function toService(service: ServiceInput | undefined): ServiceRequest | null {
  if (service === undefined) return null;
  const { name, ready, restart = 'never' } = service;
  if (!/^[A-Za-z][\w.-]{0,62}$/.test(name))
    throw badInput(
      'service.name',
      'takes a letter, then letters, digits, dots, dashes and underscores, 63 in all',
    );
  if (ready === undefined) return { name, ready: null, restart };
  if (ready.log === undefined && ready.port === undefined)
    throw badInput('service.ready', 'is empty; it takes log, port or both');
  return { name, ready: { log: ready.log ?? null, port: ready.port ?? null }, restart };
}
