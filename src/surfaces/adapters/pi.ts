/** The tools as pi's agent takes them: `new Agent({ initialState: { tools: bashTools(bash) } })`. */
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

/** A tool of `pi-agent-core`. A failure is thrown, as pi wants it; its message is what the model sees. */
export interface PiTool {
  readonly name: 'bash' | 'job';
  readonly label: string;
  readonly description: string;
  /** A JSON Schema, of the type that the installed version has for it. */
  readonly parameters: never;
  /** Before pi holds the arguments to the schema: `null` is left out. */
  readonly prepareArguments: (args: unknown) => never;
  readonly execute: PiExecute;
}

type PiExecute = (
  toolCallId: string,
  input: unknown,
  signal?: AbortSignal,
  onUpdate?: (partial: PiToolResult) => void,
) => Promise<PiToolResult>;

/** Both tools; the first alone where there are no jobs. */
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
