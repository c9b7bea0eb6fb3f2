/** Tools for the Vercel AI SDK (`ai` 5, 6 and 7): `generateText({ tools: bashTools(bash) })`. */
import type { Bash } from '../../index.ts';
import {
  type GenericTool,
  genericBashTool,
  genericJobTool,
  joinContentText,
  type ToolAnswer,
} from './shared/generic-tool.ts';

/** A result, or a preliminary result while the command runs. */
export interface AiToolOutput extends ToolAnswer {
  /** Whether the command is still running and `text` is the end of its output so far. */
  readonly preliminary: boolean;
}

/** A tool of the AI SDK. */
export interface AiTool {
  readonly description: string;
  /** Typed `never` because the schema type differs between SDK versions. */
  readonly inputSchema: never;
  readonly execute: (
    input: unknown,
    options: { readonly abortSignal?: AbortSignal },
  ) => AsyncIterable<AiToolOutput>;
  readonly toModelOutput: (given: unknown) => AiModelOutput;
}

/** The output in the form that the SDK sends to the model. */
export interface AiModelOutput {
  readonly type: 'text' | 'error-text';
  readonly value: string;
}

/** Both tools by name; `job` is missing when jobs are disabled. */
export function bashTools(bash: Bash): { readonly bash: AiTool; readonly job?: AiTool } {
  const tools = { bash: toAiTool(genericBashTool(bash)) };
  return bash.jobTool === null ? tools : { ...tools, job: toAiTool(genericJobTool(bash)) };
}

function toAiTool(tool: GenericTool): AiTool {
  return {
    description: tool.description,
    inputSchema: toSchema(tool) as never,
    execute: (input, { abortSignal }) => execute(tool, input, abortSignal),
    toModelOutput,
  };
}

/** Every SDK version marks a schema with these symbols; the tool validates the input itself. */
function toSchema({ inputSchema }: GenericTool) {
  return {
    [Symbol.for('vercel.ai.schema')]: true,
    [Symbol.for('vercel.ai.validator')]: true,
    jsonSchema: inputSchema,
    validate: undefined,
  };
}

/** Yields updates, of which a slow consumer only gets the newest, and then the result. */
async function* execute(
  tool: GenericTool,
  input: unknown,
  signal: AbortSignal | undefined,
): AsyncGenerator<AiToolOutput> {
  let latest: string | null = null;
  let wake: () => void = () => undefined;
  const onUpdate = ({ content }: { readonly content: readonly { readonly text: string }[] }): void => {
    latest = joinContentText(content);
    wake();
  };
  let over = false;
  const result = tool.call(input, { signal, onUpdate }).finally(() => {
    over = true;
    wake();
  });
  result.catch(() => undefined);
  while (!over) {
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (latest !== null || over) resolve();
    });
    if (!over && latest !== null) {
      const text: string = latest;
      latest = null;
      yield { text, isError: false, details: {}, run: null, preliminary: true };
    }
  }
  yield { ...(await result), preliminary: false };
}

/** Version 5 passes the output itself, later versions an object that contains it. */
function toModelOutput(given: unknown): AiModelOutput {
  const held = given as { readonly output?: AiToolOutput };
  const { text, isError } = held.output ?? (given as AiToolOutput);
  return { type: isError ? 'error-text' : 'text', value: text };
}
