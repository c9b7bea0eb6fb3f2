import type { Readable, Writable } from 'node:stream';
import { type BashOptions, NacreError } from '../../index.ts';
import { didYouMean } from '../../validator.ts';
import { MAX_LINE_BYTES, MessageWriter, readLines, type SplitLine } from '../serving/json-lines.ts';
import type { StopSignals } from '../serving/stop-signals.ts';
import { waitForAbort } from '../serving/when-aborted.ts';
import type { BashData, CommandType, Message, RequestId } from './protocol.ts';
import { REQUEST_HANDLERS } from './request-handlers.ts';
import { RpcSessions } from './rpc-sessions.ts';

/** A request line with its common fields. */
export interface ParsedRequest {
  readonly id: RequestId | undefined;
  readonly type: string;
  readonly session: string | undefined;
  /** All other fields. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Parses one request line.
 *
 * @throws {InvalidLineError} when the line is not a valid request
 */
export function parseRequest(line: SplitLine, maxBytes: number): ParsedRequest {
  if ('tooLong' in line)
    throw invalidLine(`it has ${line.tooLong} bytes; the limit is ${maxBytes}. Pass long text in a file`);
  const value = parseJson(decodeLine(line.bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidLine('it is not a JSON object');
  const { id, type, session, ...fields } = value as Record<string, unknown>;
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number')
    throw invalidLine('its id is neither a string nor a number');
  if (typeof type !== 'string') throw invalidLine('it has no type', id);
  if (session !== undefined && typeof session !== 'string')
    throw invalidLine('its session is not a string', id);
  return { id, type, session, fields };
}

/** An invalid request line, with its id when the line has one. */
export class InvalidLineError extends NacreError {
  readonly id: RequestId | undefined;

  constructor(problem: string, id?: RequestId) {
    super('bad_line', { problem });
    this.id = id;
  }
}

function invalidLine(problem: string, id?: RequestId): InvalidLineError {
  return new InvalidLineError(problem, id);
}

function decodeLine(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidLine('it is not valid UTF-8');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidLine(`it is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export interface RpcServerOptions {
  readonly bash: BashOptions;
  readonly version: string;
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Stops the server. */
  readonly stop: Pick<StopSignals, 'signal' | 'killSignal'>;
}

/**
 * Answers requests until the end of input. Running requests are then completed and answered unless the output
 * is closed. Jobs keep running.
 */
export async function serveRpc(options: RpcServerOptions): Promise<void> {
  const { stdin, stdout, stop } = options;
  const gone = new AbortController();
  const outbox = new MessageWriter<Message>(stdout, () => gone.abort());
  const sessions = new RpcSessions(options.bash, outbox);
  const work = new Set<Promise<void>>();
  const take = (line: SplitLine): void => {
    const answering = answerLine(line, { ...options, outbox, sessions, shutdown: () => gone.abort() });
    work.add(answering);
    void answering.then(() => work.delete(answering));
  };
  stop.signal.addEventListener('abort', () => gone.abort(), { once: true });
  gone.signal.addEventListener('abort', () => void stdin.destroy(), { once: true });
  await readLines(stdin, { take, outbox });
  // Answers to questions arrive on stdin, which has ended.
  sessions.rejectOpenQuestions();
  if (!gone.signal.aborted) await Promise.race([Promise.all(work), waitForAbort(gone.signal)]);
  await sessions.closeAll(stop.killSignal);
  // After a second signal a client that does not read must not delay the exit.
  await Promise.race([Promise.all(work).then(() => outbox.flush()), waitForAbort(stop.killSignal)]);
}

interface ServerContext extends Pick<RpcServerOptions, 'version'> {
  readonly outbox: MessageWriter<Message>;
  readonly sessions: RpcSessions;
  readonly shutdown: () => void;
}

async function answerLine(line: SplitLine, context: ServerContext): Promise<void> {
  const { outbox } = context;
  let request: ParsedRequest | undefined;
  try {
    request = parseRequest(line, MAX_LINE_BYTES);
    const data = await handleRequest(request, context);
    const refused = (data as Partial<BashData>).error;
    const head = { ...withId(request.id), type: 'response', command: request.type } as const;
    if (refused === undefined) outbox.send({ ...head, success: true, data });
    else outbox.send({ ...head, success: false, error: refused.message, errorId: refused.id, data });
  } catch (error) {
    const { code, message } = error instanceof NacreError ? error : toInternal(error);
    const id = request?.id ?? (error instanceof InvalidLineError ? error.id : undefined);
    const head = { ...withId(id), type: 'response', command: request?.type ?? 'parse' } as const;
    outbox.send({ ...head, success: false, error: message, errorId: code });
  }
}

async function handleRequest(
  { id, type, session, fields }: ParsedRequest,
  context: ServerContext,
): Promise<unknown> {
  if (!Object.hasOwn(REQUEST_HANDLERS, type)) {
    const meant = didYouMean(type, Object.keys(REQUEST_HANDLERS));
    throw new NacreError('request_unknown', { type, meant });
  }
  const handler = REQUEST_HANDLERS[type as CommandType];
  return handler({
    ...context,
    id,
    fields,
    session: context.sessions.find(session),
    lineBytes: MAX_LINE_BYTES,
  });
}

function toInternal(error: unknown): NacreError {
  return new NacreError('internal', { reason: error instanceof Error ? error.message : String(error) });
}

function withId(id: RequestId | undefined): { readonly id?: RequestId } {
  return id === undefined ? {} : { id };
}
