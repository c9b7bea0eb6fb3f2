/**
 * Tools for the Anthropic SDK: `client.beta.messages.toolRunner({ tools: bashTools(bash) })`, or `answer` in a
 * custom loop.
 */
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

/** The context that the SDK passes to `run`. */
export interface AnthropicRunContext {
  readonly signal?: AbortSignal | null | undefined;
}

interface Runnable {
  readonly run: (input: unknown, context?: AnthropicRunContext) => Promise<string>;
  readonly parse: (input: unknown) => unknown;
}

/** A custom tool with its own schema. */
export interface AnthropicTool extends Runnable {
  readonly name: 'bash' | 'job';
  readonly description: string;
  /** Mutable, as the SDK's type requires. */
  readonly input_schema: { type: 'object'; [key: string]: unknown };
  readonly strict?: boolean;
}

/** The Anthropic-defined bash tool; the API knows its schema. */
export interface AnthropicBashTool extends Runnable {
  readonly type: 'bash_20250124';
  readonly name: 'bash';
}

/** A `tool_result` block of a user message. */
export interface AnthropicToolResult {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string;
  readonly is_error: boolean;
}

export interface AnthropicOptions {
  /**
   * The SDK's `ToolError` (`@anthropic-ai/sdk/lib/tools/ToolError`). With it the model receives the text of a
   * failure unchanged; without it the SDK prefixes `Error: `.
   */
  readonly ToolError?: new (
    content: string,
  ) => Error;
  /** Whether the API enforces the schema; every field is then sent, and unused fields are `null`. */
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

/** The tool of type `bash_20250124`, which has only `command` and `restart`. */
export function bashTool(bash: Bash, options: AnthropicOptions = {}): AnthropicBashTool {
  return { type: 'bash_20250124', name: 'bash', ...toRunnable(withRestart(bash), options) };
}

/** Answers one `tool_use` block of either kind of tool, for custom loops. */
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

/** The runner waits for the answer of a call that it aborted, so the call resolves with the partial result. */
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

/** A restart resets the shell; jobs keep running. */
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
