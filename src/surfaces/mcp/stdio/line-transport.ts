import type { Readable, Writable } from 'node:stream';
import {
  deserializeMessage,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type Transport,
} from '@modelcontextprotocol/server';
import type { SplitLine } from '../../serving/line-splitter.ts';
import { Outbox } from '../../serving/outbox.ts';
import { LINE_BYTES, readLines } from '../../serving/read-lines.ts';

export interface LineStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/**
 * One JSON object a line. The library's own transport ends the connection at a line that is too long, says nothing to one that is
 * no JSON, and reads on while nobody takes its answers.
 */
export class LineTransport implements Transport {
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  onmessage: Transport['onmessage'];
  readonly #stdin: Readable;
  readonly #outbox: Outbox;
  /** When nothing more comes, or nobody reads what we say. */
  readonly ended: Promise<void>;
  #end: () => void = () => undefined;
  #isOver = false;

  constructor({ stdin, stdout }: LineStreams) {
    this.#stdin = stdin;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#outbox = new Outbox(stdout, () => void this.close());
  }

  async start(): Promise<void> {
    const take = (line: SplitLine): void => this.#take(line);
    void readLines(this.#stdin, { take, outbox: this.#outbox }).then(() => this.close());
  }

  /** Resolves when the client has caught up with it. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isOver) throw new Error('The connection is over.');
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
    if ('problem' in read) this.#outbox.send(toRefusal(read));
    else if (!this.#isOver) this.onmessage?.(read.message);
  }
}

interface BadLine {
  readonly problem: string;
  readonly code: number;
  readonly id: string | number | null;
}

function parseLine(line: SplitLine): { readonly message: JSONRPCMessage } | BadLine {
  const { InvalidRequest, ParseError } = ProtocolErrorCode;
  if ('tooLong' in line)
    return {
      problem: `A line may have ${LINE_BYTES} bytes, and this one has ${line.tooLong}.`,
      code: InvalidRequest,
      id: null,
    };
  const text = decode(line.bytes);
  if (text === null) return { problem: 'The line is not valid UTF-8.', code: ParseError, id: null };
  try {
    return { message: deserializeMessage(text) };
  } catch (error) {
    if (error instanceof SyntaxError)
      return { problem: `The line is not JSON: ${error.message}`, code: ParseError, id: null };
    return { problem: 'The line is not a message of JSON-RPC 2.0.', code: InvalidRequest, id: idOf(text) };
  }
}

function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Where it can be seen, whoever sent it is told by it. */
function idOf(text: string): BadLine['id'] {
  const { id } = Object(JSON.parse(text)) as { readonly id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function toRefusal({ problem, code, id }: BadLine): object {
  return { jsonrpc: '2.0', id, error: { code, message: problem } };
}
