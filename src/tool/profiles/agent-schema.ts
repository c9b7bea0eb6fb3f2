import type { FieldSchema, InputSchema } from '../input/schema.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';

/** The input of the `agent` profile: only what is switched on. */
export function agentSchema({ async, maxTimeoutMs }: ResolvedOptions): InputSchema {
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
      head: { type: 'integer', minimum: 1, description: 'Show only the first lines: how many' },
      tail: { type: 'integer', minimum: 1, description: 'Show only the last lines: how many (after `head`)' },
      stdin: { type: 'string', description: 'Text that the command reads from its standard input' },
      ...(async.enabled ? { async: ASYNC } : {}),
    },
  };
}

const ASYNC: FieldSchema = {
  type: 'boolean',
  description: 'Start the command as a job and return at once',
};
