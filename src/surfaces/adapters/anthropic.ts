/** The tools as the Anthropic SDK takes them: `client.beta.messages.toolRunner({ tools: bashTools(bash) })`, or by hand with `answer`. */
import type { Bash, InputSchema } from '../../index.ts';
import { ToolAbortError } from '../../index.ts';
import {
  type GenericTool,
  genericBashTool,
  genericTools,
  joinContentText,
  type ToolAnswer,
} from './shared/generic-tool.ts';
import { fromStrictInput, toStrictSchema } from './shared/strict-schema.ts';

/** What `run` is told of a call. */
export interface AnthropicRunContext {
  readonly signal?: AbortSignal | null | undefined;
}

interface Runnable {
  readonly run: (input: unknown, context?: AnthropicRunContext) => Promise<string>;
  readonly parse: (input: unknown) => unknown;
}

/** A tool with a schema of its own. */
export interface AnthropicTool extends Runnable {
  readonly name: 'bash' | 'job';
  readonly description: string;
  /** Of the type that the SDK has for it. */
  readonly input_schema: { type: 'object'; [key: string]: unknown };
  readonly strict?: boolean;
}

/** The bash tool that Claude was trained on: the API knows its schema. */
export interface AnthropicBashTool extends Runnable {
  readonly type: 'bash_20250124';
  readonly name: 'bash';
}

/** A block of a user message that answers a call. */
export interface AnthropicToolResult {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string;
  readonly is_error: boolean;
}

export interface AnthropicOptions {
  /**
   * The SDK's own `ToolError` (`@anthropic-ai/sdk/lib/tools/ToolError`): with it a failure reaches the model word for word,
   * without it with `Error: ` in front.
   */
  readonly ToolError?: new (
    content: string,
  ) => Error;
  /** Whether the API is to hold the model to the schema: every field is then sent, and is `null` where it is not meant. */
  readonly strict?: boolean;
}

/** The custom tools: all fields of the profile, and jobs. */
export function bashTools(bash: Bash, options: AnthropicOptions = {}): AnthropicTool[] {
  return genericTools(bash).map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: toInputSchema(tool.inputSchema, options),
    ...(options.strict && { strict: true }),
    ...toRunnable(tool, options),
  }));
}

/** The tool of type `bash_20250124`: `command` or `restart`, nothing else. */
export function bashTool(bash: Bash, options: AnthropicOptions = {}): AnthropicBashTool {
  return { type: 'bash_20250124', name: 'bash', ...toRunnable(withRestart(bash), options) };
}

/** Answers one `tool_use` block, of either kind of tool, for a loop of your own. */
export async function answer(
  bash: Bash,
  use: { readonly id: string; readonly name: string; readonly input: unknown },
  { signal }: AnthropicRunContext = {},
): Promise<AnthropicToolResult> {
  const tool = [withRestart(bash), ...genericTools(bash)].find(({ name }) => name === use.name);
  const given =
    tool === undefined ? null : await tool.call(fromStrictInput(use.input), { signal: signal ?? undefined });
  const { text, isError } = given ?? { text: `There is no tool ${use.name}.`, isError: true };
  return { type: 'tool_result', tool_use_id: use.id, content: text, is_error: isError };
}

function toInputSchema(schema: InputSchema, { strict }: AnthropicOptions): AnthropicTool['input_schema'] {
  return strict ? { ...toStrictSchema(schema) } : { ...schema };
}

function toRunnable(tool: GenericTool, { ToolError = Error }: AnthropicOptions): Runnable {
  return {
    parse: fromStrictInput,
    run: async (input, context) => {
      const { text, isError } = await settleWithPartialResult(
        tool.call(input, { signal: context?.signal ?? undefined }),
      );
      if (isError) throw new ToolError(text);
      return text;
    },
  };
}

/** The runner waits for the answer of a call that it aborted: it gets what there was. */
async function settleWithPartialResult(
  called: Promise<ToolAnswer>,
): Promise<Pick<ToolAnswer, 'text' | 'isError'>> {
  try {
    return await called;
  } catch (error) {
    if (!(error instanceof ToolAbortError)) throw error;
    return { text: joinContentText(error.result.content), isError: true };
  }
}

/** A restart leaves what the shell had behind; jobs go on. */
function withRestart(bash: Bash): GenericTool {
  const tool = genericBashTool(bash);
  return {
    ...tool,
    call: async (input, following) => {
      const { restart, ...rest } = (input ?? {}) as { readonly restart?: unknown };
      if (restart !== true) return tool.call(restart === undefined ? input : rest, following);
      bash.resetState();
      return { text: 'The shell was restarted.', isError: false, details: {}, run: null };
    },
  };
}
