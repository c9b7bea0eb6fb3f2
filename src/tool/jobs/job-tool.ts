import type { ProcessName } from '../../engine/hosts/host.ts';
import type { ErrorCode, NacreError } from '../../errors.ts';
import type { FieldSchema, InputSchema } from '../contract/input-schema.ts';
import type { JobInfo } from '../contract/job.ts';
import type { WaitingForInput } from '../contract/result.ts';
import type { JobOutput } from './peek-job.ts';
import type { JobWait, WaitMet } from './wait-for-jobs.ts';

/** Actions of the job tool. */
export type JobAction = 'list' | 'peek' | 'wait' | 'send' | 'kill';

/** A job and the facts that an action found about it. */
export interface JobReport extends JobInfo {
  /** Listening ports. */
  readonly ports?: readonly number[];
  readonly waitingForInput?: WaitingForInput;
  readonly lastLine?: string;
  readonly output?: JobOutput;
  /** After `wait`: the condition that was met, or `null`. */
  readonly met?: WaitMet | null;
  /** After `kill`: processes that are still alive. */
  readonly survivors?: readonly ProcessName[];
}

/** Result of a job tool call. */
export interface JobResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  /** The call itself failed. A failed job is not an error. */
  readonly isError: boolean;
  readonly details: {
    readonly action: JobAction | null;
    readonly jobs: readonly JobReport[];
    /** After `wait`: why the wait ended. */
    readonly why?: JobWait['why'];
  };
  readonly error?: { readonly id: ErrorCode; readonly message: string };
}

/** Converts an error to the result of a job tool call. */
export function toJobError({ code: id, message }: NacreError, action: JobAction | null): JobResult {
  return {
    content: [{ type: 'text', text: message }],
    isError: true,
    details: { action, jobs: [] },
    error: { id, message },
  };
}

/** Text and data that an action of the job tool returns. */
export interface JobAnswer {
  readonly text: string;
  readonly jobs: readonly JobReport[];
  readonly why?: JobWait['why'];
}

const ID_FIELD: FieldSchema = {
  description: 'Job id or service name; `wait` and `kill` also take a list',
  anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
};

/** Input schema of the job tool. */
export const JOB_SCHEMA: InputSchema = {
  type: 'object',
  required: ['action'],
  additionalProperties: false,
  properties: {
    action: {
      type: 'string',
      enum: ['list', 'peek', 'wait', 'send', 'kill'],
      description: 'Action to perform',
    },
    id: ID_FIELD,
    lines: { type: 'integer', minimum: 1, description: 'peek: number of last lines (default: 50)' },
    from: {
      type: 'integer',
      minimum: 0,
      description: 'peek: byte offset to read from; wait: byte offset from which `pattern` is searched',
    },
    pattern: {
      type: 'string',
      description: 'wait: until an output line matches this regular expression',
    },
    port: {
      type: 'integer',
      minimum: 1,
      maximum: 65_535,
      description: 'wait: until this port on this machine accepts connections',
    },
    seconds: {
      type: 'number',
      minimum: 0,
      maximum: 3_600,
      description: 'wait: maximum time (default: 60)',
    },
    all: { type: 'boolean', description: 'wait: for all of the jobs, not only the first' },
    text: { type: 'string', description: 'send: text, sent unchanged; a line needs its newline' },
    keys: {
      type: 'array',
      items: { type: 'string' },
      description: 'send: keys after the text, such as enter, tab, up, escape, ctrl-c',
    },
    end: { type: 'boolean', description: 'send: close the input after everything else' },
    signal: { type: 'string', description: 'kill: signal to send (default: TERM)' },
    escalate: {
      type: 'boolean',
      description: 'kill: send TERM, then KILL to processes that survive',
    },
  },
};

/** Description of the job tool for models. */
export const JOB_DESCRIPTION: string = [
  'Manage background jobs started by the bash tool. Each bash result that leaves a job running contains its id.',
  'list: all jobs of this session, running and ended.',
  'peek: read the output of a job: the last lines, or from a byte offset. Reading does not consume output; the answer has the offset to continue from.',
  'wait: wait until a job ends, an output line matches `pattern`, or `port` accepts connections, at most `seconds`. The answer starts with the status and exit code. A job keeps running when the wait is over. Use this instead of sleep and repeated peeks.',
  'send: send text, keys or the end of input to a job started with stdin: {"open": true}. ctrl-c works with any job.',
  'kill: send exactly one signal (default: TERM); `escalate` stops the job for certain.',
].join('\n\n');
