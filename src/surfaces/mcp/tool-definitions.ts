import type { Tool } from '@modelcontextprotocol/server';
import type { Bash } from '../../index.ts';

type OutputSchema = NonNullable<Tool['outputSchema']>;

const nullableOf = (type: string, description: string): object => ({
  description,
  anyOf: [{ type }, { type: 'null' }],
});

const COUNT_SCHEMA = { type: 'integer', minimum: 0 } as const;

const LINE_RANGES_SCHEMA = {
  type: 'array',
  items: {
    type: 'object',
    required: ['from', 'to'],
    properties: { from: COUNT_SCHEMA, to: COUNT_SCHEMA },
  },
} as const;

const ERROR_SCHEMA = {
  type: 'object',
  description: 'Only when the call itself could not be carried out',
  required: ['id', 'message'],
  properties: { id: { type: 'string' }, message: { type: 'string' } },
} as const;

const NOTES_SCHEMA = {
  type: 'array',
  description: 'Actions beyond the request, and jobs that ended meanwhile',
  items: { type: 'string' },
} as const;

/** The schema of a bash result, the same for every profile. */
export const BASH_OUTPUT_SCHEMA: OutputSchema = {
  type: 'object',
  required: [
    'runId',
    'status',
    'exitCode',
    'signal',
    'timedOut',
    'aborted',
    'wallTimeMs',
    'cwd',
    'output',
    'artifact',
    'notes',
  ],
  properties: {
    runId: nullableOf('string', 'null when nothing was started'),
    status: {
      type: 'string',
      enum: ['exited', 'signaled', 'timed_out', 'aborted', 'running', 'refused', 'lost'],
    },
    exitCode: nullableOf('integer', '128+n for a death by signal'),
    signal: nullableOf('string', 'Which signal ended it'),
    timedOut: { type: 'boolean' },
    aborted: { type: 'boolean' },
    wallTimeMs: { type: 'number', minimum: 0 },
    cwd: { type: 'string', description: 'Working directory' },
    output: {
      type: 'object',
      required: ['text', 'totalBytes', 'totalLines', 'shown', 'omitted'],
      properties: {
        text: { type: 'string', description: 'The output, with a notice about omitted parts' },
        totalBytes: COUNT_SCHEMA,
        totalLines: COUNT_SCHEMA,
        shown: { ...LINE_RANGES_SCHEMA, description: 'The lines shown' },
        omitted: {
          description: 'null when everything is shown',
          anyOf: [
            {
              type: 'object',
              required: ['lines', 'bytes'],
              properties: { lines: COUNT_SCHEMA, bytes: COUNT_SCHEMA },
            },
            { type: 'null' },
          ],
        },
      },
    },
    artifact: nullableOf('string', 'The full output: a resource, and a path in commands'),
    job: {
      type: 'object',
      description: 'Only when a job keeps running; the job tool takes its id',
      required: ['id', 'pid', 'pgid', 'outputFile', 'state'],
      properties: {
        id: { type: 'string' },
        pid: { type: 'integer' },
        pgid: { type: 'integer' },
        outputFile: { type: 'string' },
        state: { type: 'string', enum: ['running', 'completed', 'failed'] },
      },
    },
    waitingForInput: {
      type: 'object',
      description: 'Only when it waits for input',
      properties: {
        pid: { type: 'integer' },
        command: { type: 'string' },
        lastLine: { type: 'string' },
        echoOff: { type: 'boolean' },
        canSend: { type: 'boolean' },
      },
    },
    survivors: {
      type: 'array',
      description: 'Processes that could not be killed',
      items: { type: 'object' },
    },
    stateReset: {
      type: 'string',
      description: 'Only when the shell state is not kept for the next call: the reason',
    },
    pipeStatus: {
      type: 'array',
      description: 'Exit codes of the stages of the last pipeline, if they differ',
      items: { type: 'integer' },
    },
    notes: NOTES_SCHEMA,
    error: ERROR_SCHEMA,
  },
};

/** The schema of a result of the job tool. */
export const JOB_OUTPUT_SCHEMA: OutputSchema = {
  type: 'object',
  required: ['action', 'jobs'],
  properties: {
    action: nullableOf('string', 'null when the call was not understood'),
    why: {
      type: 'string',
      enum: ['met', 'never', 'time', 'input', 'aborted'],
      description: 'Why the wait ended',
    },
    jobs: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'state', 'status', 'exitCode', 'command', 'cwd'],
        properties: {
          id: { type: 'string' },
          name: nullableOf('string', 'Of a service'),
          state: { type: 'string', enum: ['running', 'completed', 'failed'] },
          status: { type: 'string' },
          exitCode: nullableOf('integer', 'null while it runs'),
          signal: nullableOf('string', 'Which signal ended it'),
          command: { type: 'string' },
          cwd: { type: 'string' },
          output: {
            type: 'object',
            properties: {
              text: { type: 'string' },
              next: COUNT_SCHEMA,
              totalBytes: COUNT_SCHEMA,
              lines: LINE_RANGES_SCHEMA,
            },
          },
        },
      },
    },
    notes: NOTES_SCHEMA,
    error: ERROR_SCHEMA,
  },
};

/**
 * The tools for `tools/list`: descriptions come from the library, titles and annotations are added for the
 * client.
 */
export function toMcpTools({ tool, jobTool }: Bash): Tool[] {
  const bash: Tool = {
    ...toMcpTool(tool),
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
    ...toMcpTool(jobTool),
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

function toMcpTool({ name, description, inputSchema }: Bash['tool'] | NonNullable<Bash['jobTool']>): Tool {
  // The SDK's type is a mutable JSON Schema.
  return { name, description, inputSchema: structuredClone(inputSchema) as unknown as Tool['inputSchema'] };
}
