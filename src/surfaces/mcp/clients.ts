import type { CallToolResult, InputRequiredResult, Tool } from '@modelcontextprotocol/server';

/** What is known about an MCP client. The message for it is shaped from these facts. */
export interface McpClient {
  /** The value of the setting `mcp.client`. */
  readonly id: 'codex' | 'claude-code' | 'gemini-cli' | 'other';
  /** Matches `clientInfo.name`. */
  readonly name: RegExp;
  /** Tool timeout of the client, which progress messages do not extend; `null`: none. */
  readonly timeoutSeconds: number | null;
  /** Whether results are one text, without structured content, links and metadata. */
  readonly isTextOnly: boolean;
  /** Value of `output.maxBytes` where neither option nor setting is given; `null`: the default of the option. */
  readonly maxOutputBytes: number | null;
  /** `_meta` of each tool in `tools/list`. */
  readonly toolMeta: Readonly<Record<string, unknown>> | null;
}

/** The first row whose name matches is used. All numbers were measured with a scripted model, from its request bodies. */
const KNOWN_CLIENTS: readonly McpClient[] = [
  {
    id: 'codex',
    // Codex 0.166 sends `codex-mcp-client`.
    name: /codex/i,
    // Default of `tool_timeout_sec`.
    timeoutSeconds: 300,
    // Codex shows the model only `structuredContent`, as JSON, when a result has it, and drops resource links.
    isTextOnly: true,
    // Codex removes the middle of a result at about 12,000 characters, after it has escaped the text as JSON.
    maxOutputBytes: 10_000,
    toolMeta: null,
  },
  {
    id: 'claude-code',
    // Claude Code 2.1.325 sends `claude-code`.
    name: /claude-?code/i,
    // No timeout within 700 s; `MCP_TOOL_TIMEOUT` sets one.
    timeoutSeconds: null,
    // A success shows `structuredContent` as JSON and drops the text. An error (`isError`) is cut to 5,000 characters at each
    // end, so a failed command must not be one.
    isTextOnly: true,
    maxOutputBytes: null,
    toolMeta: {
      // Without it, the tools are deferred behind a tool search, and the model does not see them at first.
      'anthropic/alwaysLoad': true,
      // Without it, a result of more than about 50,000 characters becomes a file and a preview of 2 KB. 500,000 is the largest
      // accepted value (https://code.claude.com/docs/en/mcp, "Raise the limit for a specific tool").
      'anthropic/maxResultSizeChars': 500_000,
    },
  },
  {
    id: 'gemini-cli',
    // Gemini CLI 0.61 sends `gemini-cli-mcp-client`, in some versions followed by the name of the server.
    name: /gemini/i,
    // Default of `timeout`.
    timeoutSeconds: 600,
    // A result with `isError` is shown as JSON in JSON: call, `_meta`, text and structure, 942 characters for 71 bytes of
    // output (157 as text), and 108,869 for a long failed run (52,659 as text).
    isTextOnly: true,
    maxOutputBytes: null,
    toolMeta: null,
  },
  // Other programs by the same vendor, such as Claude Desktop (`claude-ai`): only the timeout is known.
  { ...otherClient(null), name: /claude/i },
];

/** 60 s is the default request timeout of the MCP SDKs. */
const OTHER_CLIENT: McpClient = otherClient(60);

function otherClient(timeoutSeconds: number | null): McpClient {
  return {
    id: 'other',
    name: /(?:)/,
    timeoutSeconds,
    isTextOnly: false,
    maxOutputBytes: null,
    toolMeta: null,
  };
}

/** Finds the client by the setting `mcp.client` or, if that is `auto`, by `clientInfo.name`. */
export function findMcpClient(clientName: string, setting: string): McpClient {
  const known =
    setting === 'auto'
      ? KNOWN_CLIENTS.find(({ name }) => name.test(clientName))
      : setting !== 'other' && KNOWN_CLIENTS.find(({ id }) => id === setting);
  return known || OTHER_CLIENT;
}

/** Shapes the list of tools for a client. */
export function toClientTools(tools: readonly Tool[], { isTextOnly, toolMeta }: McpClient): Tool[] {
  return tools.map(({ outputSchema, ...tool }) => ({
    ...tool,
    // A tool with an output schema must return structured content.
    ...(isTextOnly || outputSchema === undefined ? {} : { outputSchema }),
    ...(toolMeta === null ? {} : { _meta: { ...tool._meta, ...toolMeta } }),
  }));
}

/**
 * Shapes a result for a client. In a text-only result `isError` means that nothing was run; the text of a failed
 * command ends with its exit code.
 */
export function toClientResult<R extends CallToolResult | InputRequiredResult>(
  result: R,
  { isTextOnly }: McpClient,
): R | CallToolResult {
  // An approval question has no structured content.
  if (!isTextOnly || result.structuredContent === undefined) return result;
  const { content, structuredContent } = result as CallToolResult;
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const { error } = structuredContent as { readonly error?: unknown };
  return { content: [{ type: 'text', text: texts.join('\n') }], isError: error !== undefined };
}
