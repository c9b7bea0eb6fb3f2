/** A model that calls one tool and then says `done`, for each version of the AI SDK; it keeps what it was shown. */
export interface ScriptedModel {
  /** As the version's own type; the test that uses it knows which. */
  readonly model: never;
  /** The messages of the last request. */
  shown(): { readonly role: string; readonly content: unknown }[];
  /** The tools of the first. */
  offered(): { readonly name: string; readonly inputSchema: unknown }[];
}

interface Request {
  readonly prompt: { readonly role: string; readonly content: unknown }[];
  readonly tools?: { readonly name: string; readonly inputSchema: unknown }[];
}

const USAGE = {
  v2: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  later: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
};

export function scriptModel(
  version: 'v2' | 'v3' | 'v4',
  call: { readonly toolName: string; readonly input: unknown },
): ScriptedModel {
  const requests: Request[] = [];
  const usage = version === 'v2' ? USAGE.v2 : USAGE.later;
  const finish = (reason: string) => (version === 'v2' ? reason : { unified: reason, raw: reason });
  const toolCall = {
    type: 'tool-call',
    toolCallId: 'call-1',
    toolName: call.toolName,
    input: JSON.stringify(call.input),
  };
  const next = (request: Request): boolean => {
    requests.push(request);
    return requests.length === 1;
  };
  const model = {
    specificationVersion: version,
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: async (request: Request) =>
      next(request)
        ? { content: [toolCall], finishReason: finish('tool-calls'), usage, warnings: [] }
        : { content: [{ type: 'text', text: 'done' }], finishReason: finish('stop'), usage, warnings: [] },
    doStream: async (request: Request) => {
      const parts = next(request)
        ? [toolCall, { type: 'finish', finishReason: finish('tool-calls'), usage }]
        : [
            { type: 'text-start', id: '1' },
            { type: 'text-delta', id: '1', delta: 'done' },
            { type: 'text-end', id: '1' },
            { type: 'finish', finishReason: finish('stop'), usage },
          ];
      return { stream: toStream([{ type: 'stream-start', warnings: [] }, ...parts]) };
    },
  };
  return {
    model: model as never,
    shown: () => requests.at(-1)?.prompt ?? [],
    offered: () => requests[0]?.tools ?? [],
  };
}

function toStream(parts: readonly unknown[]): ReadableStream<unknown> {
  return new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}
