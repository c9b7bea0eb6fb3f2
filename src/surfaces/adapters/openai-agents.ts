/**
 * Tools for the OpenAI Agents SDK: `tool(bashTool(bash))`, `tool(jobTool(bash))`, `shellTool({ shell:
 * shell(bash) })`.
 */
import type { Bash } from '../../index.ts';
import { type GenericTool, genericBashTool, genericJobTool } from './shared/generic-tool.ts';
import { runShellAction, type ShellAction } from './shared/separate-streams.ts';
import { fromStrictInput, type ObjectSchema, toStrictSchema } from './shared/strict-schema.ts';

/** The options of `tool()`. */
export interface AgentsToolOptions {
  readonly name: 'bash' | 'job';
  readonly description: string;
  readonly parameters: ObjectSchema;
  readonly strict: true;
  readonly execute: (
    input: unknown,
    context?: unknown,
    details?: { readonly signal?: AbortSignal },
  ) => Promise<string>;
}

export function bashTool(bash: Bash): AgentsToolOptions {
  return toOptions(genericBashTool(bash));
}

/**
 * The job tool.
 *
 * @throws {NacreError} `async_disabled` when jobs are disabled
 */
export function jobTool(bash: Bash): AgentsToolOptions {
  return toOptions(genericJobTool(bash));
}

/**
 * The `shell` option of `shellTool()`. The SDK passes no signal: a command stops at its time limit or with
 * `bash.close()`.
 */
export interface AgentsShell {
  run(action: ShellAction): Promise<AgentsShellResult>;
}

export interface AgentsShellResult {
  output: {
    stdout: string;
    stderr: string;
    outcome: { type: 'exit'; exitCode: number } | { type: 'timeout' };
  }[];
  maxOutputLength?: number;
}

export function shell(bash: Bash): AgentsShell {
  return {
    run: async (action) => {
      const outputs = await runShellAction(bash, action);
      const output = outputs.map(({ stdout, stderr, timedOut, exitCode }) => ({
        stdout,
        stderr,
        outcome: timedOut ? { type: 'timeout' as const } : { type: 'exit' as const, exitCode },
      }));
      const { maxOutputLength } = action;
      return { output, ...(maxOutputLength ? { maxOutputLength } : {}) };
    },
  };
}

/** A failure is returned as text, because the SDK replaces the text of a thrown error. */
function toOptions(tool: GenericTool): AgentsToolOptions {
  return {
    name: tool.name,
    description: tool.description,
    parameters: toStrictSchema(tool.inputSchema),
    strict: true,
    execute: async (input, _context, details) =>
      (await tool.call(fromStrictInput(input), { signal: details?.signal })).text,
  };
}
