import type { Bash } from '../../../index.ts';
import { ToolAbortError } from '../../../index.ts';
import { type GenericTool, genericTools, joinContentText } from './generic-tool.ts';

/** The JSON-RPC fields that an in-process connection uses. */
interface JsonRpcMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: JsonRpcParams;
}

interface JsonRpcParams {
  readonly protocolVersion?: string;
  readonly name?: string;
  readonly arguments?: unknown;
  readonly requestId?: string | number;
  readonly _meta?: { readonly progressToken?: string | number };
}

/** The transport that the SDK creates. */
interface SdkTransport {
  onmessage?: ((message: JsonRpcMessage) => void) | undefined;
  onclose?: (() => void) | undefined;
  start(): Promise<void>;
  send(message: object): Promise<void>;
}

const PROTOCOL = '2025-06-18';
const METHOD_NOT_FOUND = -32_601;

/** An MCP server that offers only the tools, for a client in the same process. */
export class InProcessMcpServer {
  readonly #tools: readonly GenericTool[];
  readonly #info: { readonly name: string; readonly version: string };
  readonly #calls = new Map<string | number, AbortController>();

  constructor(bash: Bash, name: string) {
    this.#tools = genericTools(bash);
    this.#info = { name, version: '1' };
  }

  async connect(transport: SdkTransport): Promise<void> {
    transport.onmessage = (message) => void this.#receive(message, transport);
    transport.onclose = () => {
      for (const call of this.#calls.values()) call.abort();
    };
    await transport.start();
  }

  async #receive({ id, method, params = {} }: JsonRpcMessage, transport: SdkTransport): Promise<void> {
    if (method === 'notifications/cancelled') this.#calls.get(params.requestId ?? '')?.abort();
    if (id === undefined || method === undefined) return;
    const answer = await this.#answer(method, { id, params, transport });
    // A closed transport needs no response.
    await transport.send({ jsonrpc: '2.0', id, ...answer }).catch(() => undefined);
  }

  async #answer(method: string, call: IncomingCall): Promise<object> {
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

  async #call({ id, params, transport }: IncomingCall): Promise<object> {
    const tool = this.#tools.find(({ name }) => name === params.name);
    if (tool === undefined) return toMcpResult(`There is no tool ${params.name}.`, true);
    const controller = new AbortController();
    this.#calls.set(id, controller);
    try {
      const onUpdate = createProgressNotifier(params._meta?.progressToken, transport);
      const { text, isError } = await tool.call(params.arguments ?? {}, {
        signal: controller.signal,
        onUpdate,
      });
      return toMcpResult(text, isError);
    } catch (error) {
      if (error instanceof ToolAbortError) return toMcpResult(joinContentText(error.result.content), true);
      return toMcpResult(error instanceof Error ? error.message : String(error), true);
    } finally {
      this.#calls.delete(id);
    }
  }
}

interface IncomingCall {
  readonly id: string | number;
  readonly params: JsonRpcParams;
  readonly transport: SdkTransport;
}

/** Structured content is omitted, because the SDK would show it to the model instead of the text. */
function toMcpResult(text: string, isError: boolean): object {
  return { content: [{ type: 'text', text }], isError };
}

function createProgressNotifier(progressToken: string | number | undefined, transport: SdkTransport) {
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return ({ content }: { readonly content: readonly { readonly text: string }[] }): void => {
    progress += 1;
    const params = { progressToken, progress, message: joinContentText(content) };
    transport.send({ jsonrpc: '2.0', method: 'notifications/progress', params }).catch(() => undefined);
  };
}
