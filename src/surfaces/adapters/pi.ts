/** Tools for pi's agent: `new Agent({ initialState: { tools: bashTools(bash) } })`. */
import type { Bash } from '../../index.ts';
import { ToolAbortError } from '../../index.ts';
import { type GenericTool, genericTools, joinContentText } from './shared/generic-tool.ts';
import { withoutNulls } from './shared/strict-schema.ts';

interface PiContent {
  type: 'text';
  text: string;
}

export interface PiToolResult {
  content: PiContent[];
  details: Readonly<Record<string, unknown>>;
}

/** A tool of `pi-agent-core`. Failures are thrown, as pi expects; the message is the text for the model. */
export interface PiTool {
  readonly name: 'bash' | 'job';
  readonly label: string;
  readonly description: string;
  /** A JSON Schema; typed `never` because the schema type differs between versions. */
  readonly parameters: never;
  /** Removes `null` fields before pi validates the arguments. */
  readonly prepareArguments: (args: unknown) => never;
  readonly execute: PiExecute;
}

type PiExecute = (
  toolCallId: string,
  input: unknown,
  signal?: AbortSignal,
  onUpdate?: (partial: PiToolResult) => void,
) => Promise<PiToolResult>;

/** Both tools; only `bash` when jobs are disabled. */
export function bashTools(bash: Bash): PiTool[] {
  return genericTools(bash).map((tool) => ({
    name: tool.name,
    label: tool.name,
    description: tool.description,
    parameters: tool.inputSchema as never,
    prepareArguments: (args) => withoutNulls(args) as never,
    execute: (_id, input, signal, onUpdate) => execute(tool, input, { signal, onUpdate }),
  }));
}

interface PiCall {
  readonly signal: AbortSignal | undefined;
  readonly onUpdate: ((partial: PiToolResult) => void) | undefined;
}

async function execute(
  tool: GenericTool,
  input: unknown,
  { signal, onUpdate }: PiCall,
): Promise<PiToolResult> {
  try {
    const { text, isError, details } = await tool.call(input, {
      signal,
      onUpdate: onUpdate && (({ content, details: so }) => onUpdate(toResult(joinContentText(content), so))),
    });
    if (isError) throw new Error(text);
    return toResult(text, details);
  } catch (error) {
    if (!(error instanceof ToolAbortError)) throw error;
    throw new Error(joinContentText(error.result.content), { cause: error });
  }
}

function toResult(text: string, details: Readonly<Record<string, unknown>>): PiToolResult {
  return { content: [{ type: 'text', text }], details };
}
