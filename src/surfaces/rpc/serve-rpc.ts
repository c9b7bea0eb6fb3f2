import type { Readable, Writable } from 'node:stream';
import { type BashOptions, NacreError } from '../../index.ts';
import { didYouMean } from '../config/did-you-mean.ts';
import type { SplitLine } from '../serving/line-splitter.ts';
import { Outbox } from '../serving/outbox.ts';
import { LINE_BYTES, readLines } from '../serving/read-lines.ts';
import type { StopSignals } from '../serving/stop-signals.ts';
import { whenAborted } from '../serving/when-aborted.ts';
import type { BashData, CommandType, Message, RequestId } from './protocol.ts';
import { HANDLERS } from './requests/handlers.ts';
import { BadLine, type ParsedRequest, parseRequest } from './requests/parse-request.ts';
import { RpcSessions } from './requests/rpc-sessions.ts';

export interface RpcOptions {
  readonly bash: BashOptions;
  readonly version: string;
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Ends everything: a signal, a parent that is gone. */
  readonly stop: Pick<StopSignals, 'signal' | 'killSignal'>;
}

/**
 * Answers requests until there are no more. What is under way when stdin ends is finished and answered, unless nobody
 * reads any more; jobs go on either way.
 */
export async function serveRpc(options: RpcOptions): Promise<void> {
  const { stdin, stdout, stop } = options;
  const gone = new AbortController();
  const outbox = new Outbox<Message>(stdout, () => gone.abort());
  const sessions = new RpcSessions(options.bash, outbox);
  const work = new Set<Promise<void>>();
  const take = (line: SplitLine): void => {
    const answering = answer(line, { ...options, outbox, sessions, shutdown: () => gone.abort() });
    work.add(answering);
    void answering.then(() => work.delete(answering));
  };
  stop.signal.addEventListener('abort', () => gone.abort(), { once: true });
  gone.signal.addEventListener('abort', () => void stdin.destroy(), { once: true });
  await readLines(stdin, { take, outbox });
  // An answer to a question could only come from where nothing comes any more.
  sessions.leaveUnheard();
  if (!gone.signal.aborted) await Promise.race([Promise.all(work), aborted(gone.signal)]);
  await sessions.closeAll(stop.killSignal);
  // After a second signal a client that does not read delays the exit no longer.
  await Promise.race([Promise.all(work).then(() => outbox.flushed()), aborted(stop.killSignal)]);
}

interface Context extends Pick<RpcOptions, 'version'> {
  readonly outbox: Outbox<Message>;
  readonly sessions: RpcSessions;
  readonly shutdown: () => void;
}

async function answer(line: SplitLine, context: Context): Promise<void> {
  const { outbox } = context;
  let request: ParsedRequest | undefined;
  try {
    request = parseRequest(line, LINE_BYTES);
    const data = await handle(request, context);
    const refused = (data as Partial<BashData>).error;
    const head = { ...named(request.id), type: 'response', command: request.type } as const;
    if (refused === undefined) outbox.send({ ...head, success: true, data });
    else outbox.send({ ...head, success: false, error: refused.message, errorId: refused.id, data });
  } catch (error) {
    const { code, message } = error instanceof NacreError ? error : toInternal(error);
    const id = request?.id ?? (error instanceof BadLine ? error.id : undefined);
    const head = { ...named(id), type: 'response', command: request?.type ?? 'parse' } as const;
    outbox.send({ ...head, success: false, error: message, errorId: code });
  }
}

async function handle({ id, type, session, fields }: ParsedRequest, context: Context): Promise<unknown> {
  if (!Object.hasOwn(HANDLERS, type)) {
    const meant = didYouMean(type, Object.keys(HANDLERS));
    throw new NacreError('request_unknown', { type, meant });
  }
  const handler = HANDLERS[type as CommandType];
  return handler({ ...context, id, fields, session: context.sessions.find(session), lineBytes: LINE_BYTES });
}

function toInternal(error: unknown): NacreError {
  return new NacreError('internal', { reason: error instanceof Error ? error.message : String(error) });
}

function named(id: RequestId | undefined): { readonly id?: RequestId } {
  return id === undefined ? {} : { id };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => whenAborted(signal, resolve));
}
