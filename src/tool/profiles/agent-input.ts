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
      command: { type: 'string', description: 'The bash command to run' },
      cwd: {
        type: 'string',
        description: 'Working directory; a relative path is resolved against the current directory',
      },
      env: {
        type: 'object',
        description: 'Additional environment variables',
        additionalProperties: { type: 'string' },
      },
      timeout: {
        type: 'number',
        description: `Seconds until the command is stopped, from 1 to ${maxTimeoutMs / 1_000}; 0 for no limit`,
      },
      ...(async.enabled ? { wait: createWaitField(options) } : {}),
      head: { type: 'integer', minimum: 1, description: 'Show only the first N lines' },
      tail: { type: 'integer', minimum: 1, description: 'Show only the last N lines (applied after `head`)' },
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
    description: `Seconds to wait; after that the command continues as a job and you get its id (default: ${otherwise})`,
  };
}

const RAW_FIELD: FieldSchema = {
  type: 'boolean',
  description: 'Truncate long output without condensing it first',
};

const STDIN_TEXT_FIELD: FieldSchema = {
  type: 'string',
  description: 'Text for the standard input',
};

const STDIN_FIELD: FieldSchema = {
  description:
    'Text for the standard input, or {"open": true} to send input with the job tool while the command runs',
  anyOf: [
    { type: 'string' },
    {
      type: 'object',
      required: ['open'],
      additionalProperties: false,
      properties: { open: { type: 'boolean', enum: [true], description: 'Keep standard input open' } },
    },
  ],
};

const PTY_FIELD: FieldSchema = {
  type: 'boolean',
  description:
    'Run on a terminal, for programs that need one; with `async: true` you send keys and read the screen with the job tool',
};

const ASYNC_FIELD: FieldSchema = {
  type: 'boolean',
  description: 'Start the command as a job and return at once',
};

const SERVICE_FIELD: FieldSchema = {
  type: 'object',
  description: 'Start the command as a named job, such as a server; returns when it is ready',
  required: ['name'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', description: 'Name of the service; the job tool accepts it as an id' },
    ready: {
      type: 'object',
      description: 'When the service is ready; `wait` limits the time',
      required: [],
      additionalProperties: false,
      properties: {
        log: { type: 'string', description: 'Regular expression for a line of its output' },
        port: {
          type: 'integer',
          minimum: 1,
          maximum: 65_535,
          description: 'Port on this machine that accepts connections',
        },
      },
    },
    restart: {
      type: 'string',
      enum: ['never', 'on-failure', 'always'],
      description: 'When to restart it after it ends (default: never)',
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
  if (async === true) throw badInputError('wait', 'cannot be combined with async: true, which does not wait');
  if (service !== undefined && service.ready === undefined)
    throw badInputError('wait', 'needs service.ready: without it, a service returns at once');
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
  if (other !== undefined) throw badInputError('array', `cannot be combined with ${other}`);
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
      'must be a letter followed by up to 62 letters, digits, dots, dashes and underscores',
    );
  if (ready === undefined) return { name, ready: null, restart };
  if (ready.log === undefined && ready.port === undefined)
    throw badInputError('service.ready', 'is empty; it takes log, port or both');
  return { name, ready: { log: ready.log ?? null, port: ready.port ?? null }, restart };
}
