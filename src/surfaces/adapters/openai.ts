/**
 * Tools for OpenAI's SDK: functions or the shell tools of the Responses API, whose calls `answer` handles, and
 * `client.chat.completions.runTools({ tools: chatTools(bash) })`.
 */
import type { Bash } from '../../index.ts';
import { type GenericTool, genericTools, type ToolAnswer } from './shared/generic-tool.ts';
import { quoteWord, runShellAction, runWithSeparateStreams } from './shared/separate-streams.ts';
import { fromStrictInput, type ObjectSchema, toStrictSchema } from './shared/strict-schema.ts';

/** A function of the Responses API with a strict schema: every field is sent, and unused fields are `null`. */
export interface OpenAiFunction {
  readonly type: 'function';
  readonly name: 'bash' | 'job';
  readonly description: string;
  readonly parameters: ObjectSchema & { [key: string]: unknown };
  readonly strict: true;
}

/** A function for `runTools` of the Chat Completions API. */
export interface OpenAiChatTool {
  readonly type: 'function';
  readonly function: {
    readonly name: 'bash' | 'job';
    readonly description: string;
    readonly parameters: ObjectSchema & { [key: string]: unknown };
    readonly strict: true;
    readonly parse: (text: string) => object;
    readonly function: (
      input: object,
      runner?: { readonly controller?: { readonly signal: AbortSignal } },
    ) => Promise<string>;
  };
}

/** The OpenAI-defined `shell` tool, executed locally. */
export const SHELL_TOOL: { readonly type: 'shell'; readonly environment: { readonly type: 'local' } } = {
  type: 'shell',
  environment: { type: 'local' },
};

/** The older `local_shell` tool. */
export const LOCAL_SHELL_TOOL: { readonly type: 'local_shell' } = { type: 'local_shell' };

/** Both tools as functions; only `bash` when jobs are disabled. */
export function bashTools(bash: Bash): OpenAiFunction[] {
  return genericTools(bash).map((tool) => ({ type: 'function', ...describe(tool) }));
}

/** Both tools for `runTools`, with the functions that execute them. */
export function chatTools(bash: Bash): OpenAiChatTool[] {
  return genericTools(bash).map((tool) => ({
    type: 'function',
    function: {
      ...describe(tool),
      parse: (text) => ({ text }),
      function: async (input, runner) => {
        const { text } = input as { readonly text: string };
        return (await callWith(tool, text, runner?.controller?.signal)).text;
      },
    },
  }));
}

/** The fields of a response item that `answer` reads. */
export interface OpenAiItem {
  readonly type: string;
}

export interface OpenAiFunctionOutput {
  type: 'function_call_output';
  call_id: string;
  output: string;
}

export interface OpenAiShellOutput {
  type: 'shell_call_output';
  call_id: string;
  max_output_length: number | null;
  output: {
    stdout: string;
    stderr: string;
    outcome: { type: 'exit'; exit_code: number } | { type: 'timeout' };
  }[];
}

export interface OpenAiLocalShellOutput {
  type: 'local_shell_call_output';
  id: string;
  output: string;
}

export type OpenAiOutput = OpenAiFunctionOutput | OpenAiShellOutput | OpenAiLocalShellOutput;

/**
 * Answers an item of type `function_call`, `shell_call` or `local_shell_call`; returns `null` for other items
 * and unknown functions.
 *
 * @throws {ToolAbortError} when the signal fires
 */
export async function answer(
  bash: Bash,
  item: OpenAiItem,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<OpenAiOutput | null> {
  if (item.type === 'function_call') return answerFunction(bash, item as FunctionCall, signal);
  if (item.type === 'shell_call') return answerShell(bash, item as ShellCall, signal);
  return item.type === 'local_shell_call' ? answerLocalShell(bash, item as LocalShellCall, signal) : null;
}

interface FunctionCall extends OpenAiItem {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

async function answerFunction(
  bash: Bash,
  call: FunctionCall,
  signal?: AbortSignal,
): Promise<OpenAiOutput | null> {
  const tool = genericTools(bash).find(({ name }) => name === call.name);
  if (tool === undefined) return null;
  const { text: output } = await callWith(tool, call.arguments, signal);
  return { type: 'function_call_output', call_id: call.call_id, output };
}

interface ShellCall extends OpenAiItem {
  readonly call_id: string;
  readonly action: {
    readonly commands: readonly string[];
    readonly timeout_ms?: number | null;
    readonly max_output_length?: number | null;
  };
}

async function answerShell(
  bash: Bash,
  { call_id, action }: ShellCall,
  signal?: AbortSignal,
): Promise<OpenAiOutput> {
  const { commands, timeout_ms: timeoutMs, max_output_length: maxOutputLength = null } = action;
  const outputs = await runShellAction(bash, { commands, timeoutMs, maxOutputLength }, signal);
  const output = outputs.map(({ stdout, stderr, timedOut, exitCode }) => ({
    stdout,
    stderr,
    outcome: timedOut ? { type: 'timeout' as const } : { type: 'exit' as const, exit_code: exitCode },
  }));
  return { type: 'shell_call_output', call_id, max_output_length: maxOutputLength, output };
}

interface LocalShellCall extends OpenAiItem {
  readonly call_id: string;
  readonly action: {
    readonly command: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly timeout_ms?: number | null;
    readonly working_directory?: string | null;
    readonly user?: string | null;
  };
}

async function answerLocalShell(
  bash: Bash,
  call: LocalShellCall,
  signal?: AbortSignal,
): Promise<OpenAiOutput> {
  const { command, env, timeout_ms: timeoutMs, working_directory: cwd, user } = call.action;
  const run = user
    ? {
        stdout: '',
        stderr: `Commands cannot be run as the user ${user} here.`,
        exitCode: 126,
        timedOut: false,
      }
    : await runWithSeparateStreams(bash, {
        command: command.map(quoteWord).join(' '),
        env,
        cwd,
        timeoutMs,
        signal,
      });
  const { stdout, stderr, exitCode: exit_code, timedOut: timed_out } = run;
  const output = JSON.stringify({ stdout, stderr, exit_code, timed_out });
  return { type: 'local_shell_call_output', id: call.call_id, output };
}

function describe({ name, description, inputSchema }: GenericTool) {
  return { name, description, parameters: { ...toStrictSchema(inputSchema) }, strict: true as const };
}

/** Invalid JSON is answered with an error text, as any other invalid input. */
async function callWith(
  tool: GenericTool,
  text: string,
  signal?: AbortSignal,
): Promise<Pick<ToolAnswer, 'text'>> {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    return { text: `The arguments are no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  return tool.call(fromStrictInput(input), { signal });
}
