import type { Bash } from '../../../index.ts';
import { ToolAbortError } from '../../../index.ts';
import { type PlainTool, plainTools, textOf } from './plain-tool.ts';

/** JSON-RPC, as much of it as passes between two ends of one process. */
interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Params;
}

interface Params {
  readonly protocolVersion?: string;
  readonly name?: string;
  readonly arguments?: unknown;
  readonly requestId?: string | number;
  readonly _meta?: { readonly progressToken?: string | number };
}

/** The other end, as the SDK makes it. */
interface Transport {
  onmessage?: ((message: Message) => void) | undefined;
  onclose?: (() => void) | undefined;
  start(): Promise<void>;
  send(message: object): Promise<void>;
}

const PROTOCOL = '2025-06-18';
const METHOD_NOT_FOUND = -32_601;

/** An MCP server with the tools and nothing else, for a client in the same process. */
export class ToolServer {
  readonly #tools: readonly PlainTool[];
  readonly #info: { readonly name: string; readonly version: string };
  readonly #calls = new Map<string | number, AbortController>();

  constructor(bash: Bash, name: string) {
    this.#tools = plainTools(bash);
    this.#info = { name, version: '1' };
  }

  async connect(transport: Transport): Promise<void> {
    transport.onmessage = (message) => void this.#receive(message, transport);
    transport.onclose = () => {
      for (const call of this.#calls.values()) call.abort();
    };
    await transport.start();
  }

  async #receive({ id, method, params = {} }: Message, transport: Transport): Promise<void> {
    if (method === 'notifications/cancelled') this.#calls.get(params.requestId ?? '')?.abort();
    if (id === undefined || method === undefined) return;
    const answer = await this.#answer(method, { id, params, transport });
    // Whoever has gone needs no answer.
    await transport.send({ jsonrpc: '2.0', id, ...answer }).catch(() => undefined);
  }

  async #answer(method: string, call: Call): Promise<object> {
    switch (method) {
      case 'initialize':
        return {
          result: {
            protocolVersion: call.params.protocolVersion ?? PROTOCOL,
            capabilities: { tools: {} },
            serverInfo: this.#info,
          },
        };
      case 'ping':
        return { result: {} };
      case 'tools/list':
        return { result: { tools: this.#tools.map(({ call: _, ...tool }) => tool) } };
      case 'tools/call':
        return { result: await this.#call(call) };
      default:
        return { error: { code: METHOD_NOT_FOUND, message: `There is no method ${method}.` } };
    }
  }

  async #call({ id, params, transport }: Call): Promise<object> {
    const tool = this.#tools.find(({ name }) => name === params.name);
    if (tool === undefined) return toResult(`There is no tool ${params.name}.`, true);
    const controller = new AbortController();
    this.#calls.set(id, controller);
    try {
      const onUpdate = createProgress(params._meta?.progressToken, transport);
      const { text, isError } = await tool.call(params.arguments ?? {}, {
        signal: controller.signal,
        onUpdate,
      });
      return toResult(text, isError);
    } catch (error) {
      if (error instanceof ToolAbortError) return toResult(textOf(error.result.content), true);
      return toResult(error instanceof Error ? error.message : String(error), true);
    } finally {
      this.#calls.delete(id);
    }
  }
}

interface Call {
  readonly id: string | number;
  readonly params: Params;
  readonly transport: Transport;
}

/** Structured content is left out: where it is there, the model is shown it instead of the text. */
function toResult(text: string, isError: boolean): object {
  return { content: [{ type: 'text', text }], isError };
}

function createProgress(progressToken: string | number | undefined, transport: Transport) {
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return ({ content }: { readonly content: readonly { readonly text: string }[] }): void => {
    progress += 1;
    const params = { progressToken, progress, message: textOf(content) };
    transport.send({ jsonrpc: '2.0', method: 'notifications/progress', params }).catch(() => undefined);
  };
}
