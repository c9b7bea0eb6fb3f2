import type { CallInput } from '../contract/hooks.ts';
import { badInputError, type FieldSchema, type InputSchema } from '../contract/input-schema.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import {
  ARRAY_FIELD,
  offersSandboxEscalation,
  offersSlurmArrays,
  parseSlurmArray,
  SANDBOX_FIELD,
  type SandboxEscalation,
} from './host-fields.ts';
import {
  type CallRequest,
  type CallStdin,
  type RestartPolicy,
  type ServiceRequest,
  type TimeLimit,
  toDefaultTimeLimit,
  toTimeLimit,
} from './profile.ts';

/** Creates the input schema of the `agent` profile with the enabled features only. */
export function createAgentSchema(options: ResolvedOptions): InputSchema {
  const { async, maxTimeoutMs } = options;
  return {
    type: 'object',
    required: ['command'],
    additionalProperties: false,
    properties: {
      command: { type: 'string', description: 'The command, as you would type it in bash' },
      cwd: {
        type: 'string',
        description: 'Where to run it; a relative path is taken against the working directory',
      },
      env: {
        type: 'object',
        description: 'More environment variables: names and values, passed as they are',
        additionalProperties: { type: 'string' },
      },
      timeout: {
        type: 'number',
        description: `Seconds until the command is ended, from 1 to ${maxTimeoutMs / 1_000}; 0 for no limit`,
      },
      ...(async.enabled ? { wait: createWaitField(options) } : {}),
      head: { type: 'integer', minimum: 1, description: 'Show only the first lines: how many' },
      tail: { type: 'integer', minimum: 1, description: 'Show only the last lines: how many (after `head`)' },
      ...(options.minimizer.enabled ? { raw: RAW_FIELD } : {}),
      stdin: async.enabled ? STDIN_FIELD : STDIN_TEXT_FIELD,
      ...(async.enabled || options.virtualTerminal === 'on' ? { pty: PTY_FIELD } : {}),
      ...(async.enabled ? { async: ASYNC_FIELD, service: SERVICE_FIELD } : {}),
      ...(offersSandboxEscalation(options) ? { sandbox: SANDBOX_FIELD } : {}),
      ...(offersSlurmArrays(options) ? { array: ARRAY_FIELD } : {}),
    },
  };
}

function createWaitField({ async: { autoBackground } }: ResolvedOptions): FieldSchema {
  const otherwise = autoBackground.enabled ? `${autoBackground.afterMs / 1_000}` : 'until it ends';
  return {
    type: 'number',
    minimum: 0,
    maximum: 3_600,
    description: `Seconds to wait for the command; after that it goes on as a job and you get its id (default: ${otherwise})`,
  };
}

const RAW_FIELD: FieldSchema = {
  type: 'boolean',
  description:
    'Cut output that does not fit as it is, instead of leaving out the dull lines of known commands first',
};

const STDIN_TEXT_FIELD: FieldSchema = {
  type: 'string',
  description: 'Text that the command reads from its standard input',
};

const STDIN_FIELD: FieldSchema = {
  description:
    'Text that the command reads from its standard input, or {"open": true} to send it input while it runs',
  anyOf: [
    { type: 'string' },
    {
      type: 'object',
      required: ['open'],
      additionalProperties: false,
      properties: { open: { type: 'boolean', enum: [true], description: 'Keep it open' } },
    },
  ],
};

const PTY_FIELD: FieldSchema = {
  type: 'boolean',
  description:
    'Run it on a terminal, for programs that need one; with `async: true`, so that you can send keys and see its screen with the job tool',
};

const ASYNC_FIELD: FieldSchema = {
  type: 'boolean',
  description: 'Start the command as a job and return at once',
};

const SERVICE_FIELD: FieldSchema = {
  type: 'object',
  description: 'Start the command as a job with a name, such as a server; returns when it is ready',
  required: ['name'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', description: 'What to call it; the job tool takes this name as an id' },
    ready: {
      type: 'object',
      description: 'What tells that it is ready; `wait` says how long that may take',
      required: [],
      additionalProperties: false,
      properties: {
        log: { type: 'string', description: 'A regular expression that a line of its output matches' },
        port: {
          type: 'integer',
          minimum: 1,
          maximum: 65_535,
          description: 'A port on this machine that takes connections',
        },
      },
    },
    restart: {
      type: 'string',
      enum: ['never', 'on-failure', 'always'],
      description: 'When to start it again after it ended (default: never)',
    },
  },
};

const MAX_REASON_LENGTH = 1000;

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
  readonly sandbox?: SandboxEscalation;
  readonly array?: string;
}

interface ServiceInput {
  readonly name: string;
  readonly ready?: { readonly log?: string; readonly port?: number };
  readonly restart?: RestartPolicy;
}

/** Converts an input of the `agent` profile to a call request. */
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
    timeLimit: toAgentTimeLimit(input, { background, options }),
    head: input.head ?? null,
    tail: input.tail ?? null,
    raw: input.raw === true,
    stdin: toCallStdin(input.stdin),
    pty: input.pty === true,
    waitMs: toAgentWaitMs(input, options),
    background,
    service: toServiceRequest(input.service),
    sandbox: toSandboxEscalation(input.sandbox),
    array: input.array === undefined ? null : parseSlurmArray(input.array, options.async.maxJobs),
  };
}

/** Rejects a `wait` that would have no effect. */
function checkWait({ async, service, wait }: AgentInput): void {
  if (wait === undefined) return;
  if (async === true) throw badInputError('wait', 'cannot go with async: true, which does not wait');
  if (service !== undefined && service.ready === undefined)
    throw badInputError('wait', 'is the time for service.ready here, which is not given');
}

/** Input for a terminal is sent while the command runs. */
function checkPty({ pty, stdin }: AgentInput): void {
  if (pty === true && typeof stdin === 'string')
    throw badInputError('stdin', 'cannot be a text with pty: true; send it with the job tool');
}

/** Rejects fields that apply to a single command only. */
function checkArray({ array, service, wait, stdin }: AgentInput): void {
  if (array === undefined) return;
  const others = { service, wait, stdin: typeof stdin === 'object' ? stdin : undefined };
  const other = Object.entries(others).find(([, value]) => value !== undefined)?.[0];
  if (other !== undefined) throw badInputError('array', `cannot go with ${other}`);
}

function toAgentWaitMs({ async, wait }: AgentInput, { async: jobs }: ResolvedOptions): number | null {
  if (async === true) return 0;
  if (wait !== undefined) return wait * 1_000;
  return jobs.enabled && jobs.autoBackground.enabled ? jobs.autoBackground.afterMs : null;
}

function toAgentTimeLimit(
  { timeout }: AgentInput,
  { background, options }: { readonly background: boolean; readonly options: ResolvedOptions },
): TimeLimit {
  // The upper limit applies to requested limits only; a job without one has the default of jobs.
  if (background && timeout === undefined) return toDefaultTimeLimit(options.jobTimeoutMs);
  const { timeoutMs: defaultMs, maxTimeoutMs: maxMs } = options;
  return toTimeLimit({ requestedSeconds: timeout, defaultMs, maxMs });
}

function toCallStdin(stdin: AgentInput['stdin']): CallStdin | null {
  if (stdin === undefined) return null;
  return typeof stdin === 'string' ? { kind: 'text', text: stdin } : { kind: 'open' };
}

/** Requires a reason that a person can decide on. */
function toSandboxEscalation(sandbox: SandboxEscalation | undefined): SandboxEscalation | null {
  if (sandbox === undefined) return null;
  if (sandbox.reason.trim() === '')
    throw badInputError('sandbox.reason', 'is empty; say what it is needed for');
  if (sandbox.reason.length > MAX_REASON_LENGTH)
    throw badInputError(
      'sandbox.reason',
      `has ${sandbox.reason.length} characters and may have ${MAX_REASON_LENGTH}`,
    );
  return sandbox;
}

function toServiceRequest(service: ServiceInput | undefined): ServiceRequest | null {
  if (service === undefined) return null;
  const { name, ready, restart = 'never' } = service;
  if (!/^[A-Za-z][\w.-]{0,62}$/.test(name))
    throw badInputError(
      'service.name',
      'takes a letter, then letters, digits, dots, dashes and underscores, 63 in all',
    );
  if (ready === undefined) return { name, ready: null, restart };
  if (ready.log === undefined && ready.port === undefined)
    throw badInputError('service.ready', 'is empty; it takes log, port or both');
  return { name, ready: { log: ready.log ?? null, port: ready.port ?? null }, restart };
}
