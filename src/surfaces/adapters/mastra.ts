/** The tools as Mastra takes them: `createTool(bashTool(bash))` and `createTool(jobTool(bash))`. */
import type { Bash } from '../../index.ts';
import {
  type GenericTool,
  genericBashTool,
  genericJobTool,
  joinContentText,
  type ToolAnswer,
} from './shared/generic-tool.ts';
import { type ObjectSchema, toNullableSchema } from './shared/strict-schema.ts';

/** What Mastra tells a tool of its call. */
export interface MastraContext {
  readonly abortSignal?: AbortSignal;
  /** Where updates go while the command runs. */
  readonly writer?: { custom?(chunk: { type: `data-${string}`; data: unknown }): unknown } | undefined;
}

/** The options of `createTool()`. */
export interface MastraToolOptions {
  readonly id: 'bash' | 'job';
  readonly description: string;
  /** A JSON Schema, of the type that the installed version has for it. */
  readonly inputSchema: never;
  /** The second is a `MastraContext`. */
  readonly execute: (input: unknown, context?: unknown) => Promise<ToolAnswer>;
  readonly toModelOutput: (answer: unknown) => { type: 'text' | 'error-text'; value: string };
}

export function bashTool(bash: Bash): MastraToolOptions {
  return toOptions(genericBashTool(bash));
}

/** @throws {NacreError} `async_disabled` where there are no jobs */
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

/** A stream that is closed already must not end the command. */
async function writeUpdate(writer: MastraContext['writer'], data: unknown): Promise<void> {
  try {
    await writer?.custom?.({ type: 'data-bash', data });
  } catch {
    // Nobody reads any more.
  }
}
