/** Tools for LangChain: `tool(...bashTool(bash))` and `tool(...jobTool(bash))`. */
import type { Bash } from '../../index.ts';
import {
  type GenericTool,
  genericBashTool,
  genericJobTool,
  joinContentText,
  type ToolAnswer,
} from './shared/generic-tool.ts';
import { type ObjectSchema, toNullableSchema } from './shared/strict-schema.ts';

/** The configuration that LangChain passes to a tool call. */
export interface LangChainConfig {
  readonly signal?: AbortSignal;
  /** LangGraph's writer; its chunks arrive in the stream mode `custom`. */
  readonly writer?: ((chunk: unknown) => void) | null;
}

/** The content of the tool message, and as its artifact the machine-readable result. */
export type LangChainResult = [content: string, artifact: ToolAnswer];

/** The two arguments of `tool()`. */
export type LangChainTool = [
  call: (input: unknown, config?: LangChainConfig) => Promise<LangChainResult>,
  fields: {
    name: 'bash' | 'job';
    description: string;
    schema: ObjectSchema;
    responseFormat: 'content_and_artifact';
  },
];

export function bashTool(bash: Bash): LangChainTool {
  return toLangChain(genericBashTool(bash));
}

/**
 * The job tool.
 *
 * @throws {NacreError} `async_disabled` when jobs are disabled
 */
export function jobTool(bash: Bash): LangChainTool {
  return toLangChain(genericJobTool(bash));
}

function toLangChain(tool: GenericTool): LangChainTool {
  const { name, description, inputSchema } = tool;
  return [
    async (input, config = {}) => {
      const { signal, writer } = config;
      const onUpdate =
        writer && (({ content }: UpdateContent) => writer({ tool: name, text: joinContentText(content) }));
      const answer = await tool.call(input, { signal, ...(onUpdate && { onUpdate }) });
      return [answer.text, answer];
    },
    { name, description, schema: toNullableSchema(inputSchema), responseFormat: 'content_and_artifact' },
  ];
}

interface UpdateContent {
  readonly content: readonly { readonly text: string }[];
}
