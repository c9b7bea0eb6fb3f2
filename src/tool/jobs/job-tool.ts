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
  description: 'The id of a job, or the name of a service; `wait` and `kill` also take a list of them',
  anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
};

export const JOB_SCHEMA: InputSchema = {
  type: 'object',
  required: ['action'],
  additionalProperties: false,
  properties: {
    action: {
      type: 'string',
      enum: ['list', 'peek', 'wait', 'send', 'kill'],
      description: 'What to do',
    },
    id: ID_FIELD,
    lines: { type: 'integer', minimum: 1, description: 'peek: how many of the last lines (default: 50)' },
    from: {
      type: 'integer',
      minimum: 0,
      description: 'peek: show what was printed from this byte on; wait: look for `pattern` from there on',
    },
    pattern: {
      type: 'string',
      description: 'wait: until a line of the output matches this regular expression',
    },
    port: {
      type: 'integer',
      minimum: 1,
      maximum: 65_535,
      description: 'wait: until this port on this machine takes connections',
    },
    seconds: {
      type: 'number',
      minimum: 0,
      maximum: 3_600,
      description: 'wait: how long at most (default: 60)',
    },
    all: { type: 'boolean', description: 'wait: for each of several jobs, not only for the first' },
    text: { type: 'string', description: 'send: text, as it is; a line needs its newline' },
    keys: {
      type: 'array',
      items: { type: 'string' },
      description: 'send: keys after the text, such as enter, tab, up, escape, ctrl-c',
    },
    end: { type: 'boolean', description: 'send: the end of the input, after everything else' },
    signal: { type: 'string', description: 'kill: which signal (default: TERM)' },
    escalate: {
      type: 'boolean',
      description: 'kill: make certain that it ends: TERM, and KILL for whoever is left',
    },
  },
};

export const JOB_DESCRIPTION: string = [
  'Looks after jobs: commands of the bash tool that go on while nobody waits for them. Each result of the bash tool that leaves one running gives its id.',
  'list: all jobs of this session, running and ended.',
  'peek: what a job printed: the last lines, or from a byte on. Reading takes nothing away; the answer says from which byte to go on.',
  'wait: until a job ends, a line matches `pattern`, or `port` answers, and at most `seconds`. The answer begins with its status and exit code. A wait that ends is not a kill. Use it instead of sleep and repeated peeks.',
  'send: text, keys or the end of input to a job that was started with stdin: {"open": true}. ctrl-c works on any job.',
  'kill: sends exactly one signal, TERM unless you say otherwise; `escalate` makes certain that it ends.',
].join('\n\n');
