import { badInput, checkInput } from '../../input/check-input.ts';
import { describeValue } from '../../input/describe-value.ts';
import { toSignal } from '../acting/kill.ts';
import { toPattern } from '../acting/pattern.ts';
import type { JobAction } from './job-result.ts';
import { JOB_SCHEMA } from './job-schema.ts';

/** The fields of a call of the job tool, after they were checked. */
export interface JobCall {
  readonly action: JobAction;
  readonly ids: readonly string[];
  readonly lines?: number;
  readonly from?: number;
  readonly pattern?: RegExp;
  readonly port?: number;
  readonly seconds?: number;
  readonly all?: boolean;
  readonly text?: string;
  readonly keys?: readonly string[];
  readonly end?: boolean;
  readonly signal?: NodeJS.Signals;
  readonly escalate?: boolean;
}

interface Taken {
  readonly fields: readonly string[];
  /** Of how many jobs, at least and at most. */
  readonly jobs: readonly [number, number];
}

/** Which fields an action takes. */
const TAKES: Readonly<Record<JobAction, Taken>> = {
  list: { fields: [], jobs: [0, 0] },
  peek: { fields: ['id', 'lines', 'from'], jobs: [1, 1] },
  wait: { fields: ['id', 'pattern', 'from', 'port', 'seconds', 'all'], jobs: [1, 100] },
  send: { fields: ['id', 'text', 'keys', 'end'], jobs: [1, 1] },
  kill: { fields: ['id', 'signal', 'escalate'], jobs: [1, 100] },
};

type Fields = Omit<JobCall, 'ids' | 'pattern' | 'signal'> & {
  readonly id?: string | readonly string[];
  readonly pattern?: string;
  readonly signal?: string;
};

/** Throws `bad_input` that names the field, what it got and what it takes. */
export function readJobInput(input: unknown): JobCall {
  const fields = checkInput(input, JOB_SCHEMA) as unknown as Fields;
  const { id = [], pattern, signal, ...others } = fields;
  const ids = typeof id === 'string' ? [id] : id;
  checkTaken(fields);
  checkJobs(fields.action, ids);
  checkTogether(fields);
  return {
    ...others,
    ids,
    ...(pattern === undefined ? {} : { pattern: toPattern(pattern, 'pattern') }),
    ...(signal === undefined ? {} : { signal: requireSignal(signal) }),
  };
}

function checkTaken({ action, ...fields }: Fields): void {
  const taken = TAKES[action].fields;
  const wrong = Object.keys(fields).find((name) => !taken.includes(name));
  if (wrong !== undefined)
    throw badInput(wrong, `is not for ${action}, which takes ${taken.join(', ') || 'nothing else'}`);
}

function checkJobs(action: JobAction, ids: readonly string[]): void {
  const [least, most] = TAKES[action].jobs;
  if (ids.length < least) throw badInput('id', `is required for ${action}: the id of a job; list shows them`);
  const limit = most === 1 ? 'one job' : `${most} jobs at most`;
  if (ids.length > most) throw badInput('id', `${action} takes ${limit}, got ${ids.length}`);
}

function checkTogether({ action, lines, from, escalate, signal, text, keys, end }: Fields): void {
  if (lines !== undefined && from !== undefined)
    throw badInput('lines', 'cannot go with from: the last lines, or from a byte on');
  if (escalate === true && signal !== undefined)
    throw badInput('signal', 'cannot go with escalate, which sends TERM and then KILL');
  if (action === 'send' && text === undefined && keys === undefined && end !== true)
    throw badInput('text', 'is required for send, or keys, or end');
}

function requireSignal(word: string): NodeJS.Signals {
  const signal = toSignal(word);
  if (signal !== undefined) return signal;
  throw badInput('signal', `expected the name of a signal, such as TERM, got ${describeValue(word)}`);
}
