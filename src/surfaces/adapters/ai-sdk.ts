/** The tools as the Vercel AI SDK takes them (`ai` 5, 6 and 7): `generateText({ tools: bashTools(bash) })`. */
import type { Bash } from '../../index.ts';
import {
  type GenericTool,
  genericBashTool,
  genericJobTool,
  joinContentText,
  type ToolAnswer,
} from './shared/generic-tool.ts';

/** A result; while the command runs, preliminary ones come first. */
export interface AiToolOutput extends ToolAnswer {
  /** Whether this is the end of what a command has printed so far, and not yet its result. */
  readonly preliminary: boolean;
}

/** A tool of the AI SDK. */
export interface AiTool {
  readonly description: string;
  /** Of the type that the installed version calls a schema, whichever that is. */
  readonly inputSchema: never;
  readonly execute: (
    input: unknown,
    options: { readonly abortSignal?: AbortSignal },
  ) => AsyncIterable<AiToolOutput>;
  readonly toModelOutput: (given: unknown) => AiModelOutput;
}

/** What the model sees. */
export interface AiModelOutput {
  readonly type: 'text' | 'error-text';
  readonly value: string;
}

/** Both tools under their names; `job` only where there are jobs. */
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

/** How the SDK marks a schema of its own, in every version; input is checked by the tool itself. */
function toSchema({ inputSchema }: GenericTool) {
  return {
    [Symbol.for('vercel.ai.schema')]: true,
    [Symbol.for('vercel.ai.validator')]: true,
    jsonSchema: inputSchema,
    validate: undefined,
  };
}

/** Updates as they come, the newest only for who is slow, then the result. */
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

/** Version 5 hands over the output, later ones an object that holds it. */
function toModelOutput(given: unknown): AiModelOutput {
  const held = given as { readonly output?: AiToolOutput };
  const { text, isError } = held.output ?? (given as AiToolOutput);
  return { type: isError ? 'error-text' : 'text', value: text };
}
