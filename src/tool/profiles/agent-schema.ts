import { ARRAY_FIELD, canArray } from '../hosts/array.ts';
import { canWiden, SANDBOX_FIELD } from '../hosts/wider.ts';
import type { FieldSchema, InputSchema } from '../input/schema.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';

/** The input of the `agent` profile: only what is switched on. */
export function agentSchema(options: ResolvedOptions): InputSchema {
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
      ...(async.enabled ? { wait: waitField(options) } : {}),
      head: { type: 'integer', minimum: 1, description: 'Show only the first lines: how many' },
      tail: { type: 'integer', minimum: 1, description: 'Show only the last lines: how many (after `head`)' },
      ...(options.minimizer.enabled ? { raw: RAW } : {}),
      stdin: async.enabled ? STDIN : STDIN_TEXT,
      ...(async.enabled || options.virtualTerminal === 'on' ? { pty: PTY } : {}),
      ...(async.enabled ? { async: ASYNC, service: SERVICE } : {}),
      ...(canWiden(options) ? { sandbox: SANDBOX_FIELD } : {}),
      ...(canArray(options) ? { array: ARRAY_FIELD } : {}),
    },
  };
}

function waitField({ async: { autoBackground } }: ResolvedOptions): FieldSchema {
  const otherwise = autoBackground.enabled ? `${autoBackground.afterMs / 1_000}` : 'until it ends';
  return {
    type: 'number',
    minimum: 0,
    maximum: 3_600,
    description: `Seconds to wait for the command; after that it goes on as a job and you get its id (default: ${otherwise})`,
  };
}

const RAW: FieldSchema = {
  type: 'boolean',
  description:
    'Cut output that does not fit as it is, instead of leaving out the dull lines of known commands first',
};

const STDIN_TEXT: FieldSchema = {
  type: 'string',
  description: 'Text that the command reads from its standard input',
};

const STDIN: FieldSchema = {
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

const PTY: FieldSchema = {
  type: 'boolean',
  description:
    'Run it on a terminal, for programs that need one; with `async: true`, so that you can send keys and see its screen with the job tool',
};

const ASYNC: FieldSchema = {
  type: 'boolean',
  description: 'Start the command as a job and return at once',
};

const SERVICE: FieldSchema = {
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
