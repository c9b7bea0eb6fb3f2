import type { Readable, Writable } from 'node:stream';
import {
  deserializeMessage,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio as serveProtocol } from '@modelcontextprotocol/server/stdio';
import { MAX_LINE_BYTES, MessageWriter, readLines, type SplitLine } from '../serving/json-lines.ts';
import type { StopSignals } from '../serving/stop-signals.ts';
import { waitForAbort } from '../serving/when-aborted.ts';
import { createMcpToolServer } from './tool-server.ts';
import { ToolSession, type ToolSessionOptions } from './tool-session.ts';

export interface StdioStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/**
 * A transport with one JSON object per line. Unlike the SDK's transport it answers lines that are too long or
 * not JSON, and it stops reading while the client does not read its responses.
 */
export class StdioTransport implements Transport {
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  onmessage: Transport['onmessage'];
  readonly #stdin: Readable;
  readonly #outbox: MessageWriter;
  /** Resolves when the input ends or the output is closed. */
  readonly ended: Promise<void>;
  #end: () => void = () => undefined;
  #isOver = false;

  constructor({ stdin, stdout }: StdioStreams) {
    this.#stdin = stdin;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#outbox = new MessageWriter(stdout, () => void this.close());
  }

  async start(): Promise<void> {
    const take = (line: SplitLine): void => this.#take(line);
    void readLines(this.#stdin, { take, outbox: this.#outbox }).then(() => this.close());
  }

  /** Resolves when the client has caught up. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isOver) throw new Error('The connection is closed.');
    this.#outbox.send(message);
    await this.#outbox.ready();
  }

  ready(): Promise<void> | undefined {
    return this.#outbox.ready();
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stdin.destroy();
    this.#end();
    this.onclose?.();
  }

  #take(line: SplitLine): void {
    const read = parseLine(line);
    if ('problem' in read) this.#outbox.send(toErrorResponse(read));
    else if (!this.#isOver) this.onmessage?.(read.message);
  }
}

interface InvalidLine {
  readonly problem: string;
  readonly code: number;
  readonly id: string | number | null;
}

function parseLine(line: SplitLine): { readonly message: JSONRPCMessage } | InvalidLine {
  const { InvalidRequest, ParseError } = ProtocolErrorCode;
  if ('tooLong' in line)
    return {
      problem: `The line has ${line.tooLong} bytes; the limit is ${MAX_LINE_BYTES}.`,
      code: InvalidRequest,
      id: null,
    };
  const text = decodeUtf8(line.bytes);
  if (text === null) return { problem: 'The line is not valid UTF-8.', code: ParseError, id: null };
  try {
    return { message: deserializeMessage(text) };
  } catch (error) {
    if (error instanceof SyntaxError)
      return { problem: `The line is not JSON: ${error.message}`, code: ParseError, id: null };
    return {
      problem: 'The line is not a JSON-RPC 2.0 message.',
      code: InvalidRequest,
      id: readMessageId(text),
    };
  }
}

function decodeUtf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The id of an invalid message, so that the error response can refer to it. */
function readMessageId(text: string): InvalidLine['id'] {
  const { id } = Object(JSON.parse(text)) as { readonly id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function toErrorResponse({ problem, code, id }: InvalidLine): object {
  return { jsonrpc: '2.0', id, error: { code, message: problem } };
}

export interface StdioOptions extends ToolSessionOptions {
  readonly version: string;
  /** Receives problems that cannot be reported to the client. */
  readonly complain: (problem: string) => void;
  readonly stop: StopSignals;
}

/** Serves one client on stdin and stdout until it disconnects or a stop signal arrives. Jobs keep running. */
export async function serveStdio({ version, complain, stop, ...options }: StdioOptions): Promise<void> {
  const transport = new StdioTransport(process);
  const session = new ToolSession({ ...options, clientDrained: () => transport.ready() });
  void transport.ended.then(() => stop.disconnected());
  const handle = serveProtocol(
    ({ era }) =>
      createMcpToolServer({ session, version, isModern: era === 'modern', sendsNotifications: true }),
    { transport, onerror: (error) => complain(error.message) },
  );
  await waitForAbort(stop.signal);
  await Promise.all([handle.close(), session.close(stop.killSignal)]);
}
