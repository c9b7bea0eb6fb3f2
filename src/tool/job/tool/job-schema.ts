import type { FieldSchema, InputSchema } from '../../input/schema.ts';

const ID: FieldSchema = {
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
    id: ID,
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
