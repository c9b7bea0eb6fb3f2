import type { Tool } from '@modelcontextprotocol/server';
import type { Bash } from '../../index.ts';
import { BASH_OUTPUT_SCHEMA, JOB_OUTPUT_SCHEMA } from './output-schema.ts';

/** The tools as a client lists them: what a model is told is the library's, the rest is for the client. */
export function listTools({ tool, jobTool }: Bash): Tool[] {
  const bash: Tool = {
    ...asTool(tool),
    title: 'Bash',
    outputSchema: BASH_OUTPUT_SCHEMA,
    annotations: {
      title: 'Bash',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
  };
  if (jobTool === null) return [bash];
  const job: Tool = {
    ...asTool(jobTool),
    title: 'Jobs',
    outputSchema: JOB_OUTPUT_SCHEMA,
    annotations: {
      title: 'Jobs',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    },
  };
  return [bash, job];
}

function asTool({ name, description, inputSchema }: Bash['tool'] | NonNullable<Bash['jobTool']>): Tool {
  // Ours is JSON Schema and read-only; theirs is the same and is not.
  return { name, description, inputSchema: structuredClone(inputSchema) as unknown as Tool['inputSchema'] };
}
