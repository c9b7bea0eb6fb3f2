import type { InputSchema } from '../input/schema.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import { renderShortDuration } from './duration.ts';

/** The input of the `modes` profile. */
export function modesSchema({ timeoutMs, slowTimeoutMs, async }: ResolvedOptions): InputSchema {
  const [fast, slow] = [renderShortDuration(timeoutMs), renderShortDuration(slowTimeoutMs)];
  const background = async.enabled ? ', background (detached)' : '';
  return {
    type: 'object',
    required: ['command'],
    additionalProperties: false,
    properties: {
      command: { type: 'string', description: 'Shell command to execute via bash -c' },
      mode: {
        type: 'string',
        enum: ['default', 'slow', ...(async.enabled ? ['background'] : [])],
        description: `Execution mode: default (${fast} timeout), slow (${slow} timeout)${background}`,
      },
    },
  };
}

/** What the model reads about it. */
export function modesDescription({ cwd, async }: ResolvedOptions): string {
  return [
    `Executes shell commands via bash -c, returning combined stdout/stderr.
Bash state changes (working dir, variables, aliases) don't persist between calls.`,
    ...(async.enabled ? [BACKGROUND] : []),
    `Use mode="slow" for potentially slow commands: builds, downloads,
installs, tests, or any other substantive operation.`,
    `IMPORTANT: Keep commands concise. The command input must be less than 60k tokens.
For complex scripts, write them to a file first and then execute the file.`,
    `<pwd>${cwd}</pwd>`,
  ].join('\n\n');
}

const BACKGROUND = `With mode="background", returns immediately with output redirected to a file.
Use background for servers/demos that need to stay running.`;
