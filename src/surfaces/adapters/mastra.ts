/** Tools for Mastra: `createTool(bashTool(bash))` and `createTool(jobTool(bash))`. */
import type { Bash } from '../../index.ts';
import {
  type GenericTool,
  genericBashTool,
  genericJobTool,
  joinContentText,
  type ToolAnswer,
} from './shared/generic-tool.ts';
import { type ObjectSchema, toNullableSchema } from './shared/strict-schema.ts';

/** The context that Mastra passes to a tool call. */
export interface MastraContext {
  readonly abortSignal?: AbortSignal;
  /** Receives updates while the command runs. */
  readonly writer?: { custom?(chunk: { type: `data-${string}`; data: unknown }): unknown } | undefined;
}

/** The options of `createTool()`. */
export interface MastraToolOptions {
  readonly id: 'bash' | 'job';
  readonly description: string;
  /** A JSON Schema; typed `never` because the schema type differs between versions. */
  readonly inputSchema: never;
  /** `context` is a `MastraContext`. */
  readonly execute: (input: unknown, context?: unknown) => Promise<ToolAnswer>;
  readonly toModelOutput: (answer: unknown) => { type: 'text' | 'error-text'; value: string };
}

export function bashTool(bash: Bash): MastraToolOptions {
  return toOptions(genericBashTool(bash));
}

/**
 * The job tool.
 *
 * @throws {NacreError} `async_disabled` when jobs are disabled
 */
export function jobTool(bash: Bash): MastraToolOptions {
  return toOptions(genericJobTool(bash));
}

function toOptions(tool: GenericTool): MastraToolOptions {
  const schema: ObjectSchema = toNullableSchema(tool.inputSchema);
  return {
    id: tool.name,
    description: tool.description,
    inputSchema: schema as never,
    execute: (input, context) => {
      const { abortSignal: signal, writer } = (context ?? {}) as MastraContext;
      return tool.call(input, {
        signal,
        onUpdate: ({ content }) =>
          void writeUpdate(writer, { tool: tool.name, text: joinContentText(content) }),
      });
    },
    toModelOutput: (answer) => {
      const { text, isError } = answer as ToolAnswer;
      return { type: isError ? 'error-text' : 'text', value: text };
    },
  };
}

/** A closed stream must not stop the command. */
async function writeUpdate(writer: MastraContext['writer'], data: unknown): Promise<void> {
  try {
    await writer?.custom?.({ type: 'data-bash', data });
  } catch {
    // The consumer has closed the stream; the result is still returned.
  }
}
