import { StringDecoder } from 'node:string_decoder';
import type { CallOptions, CallUpdate, StreamName } from '../../../index.ts';
import type { Outbox } from '../../serving/outbox.ts';
import type { BashData, Message, RequestId } from '../protocol.ts';
import type { Asked } from './asked.ts';
import { toBashData } from './bash-data.ts';
import { badField, readFields, text, truth } from './fields.ts';

/** One call of the tool; its fields are the profile's, and it says itself what does not fit. */
export function callBash({ id, fields, session, sessions, outbox }: Asked): Promise<BashData> {
  const { stream, updates, traceparent, tracestate, ...input } = fields;
  const follow = {
    ...(isOn('stream', stream) ? { onBytes: sendPieces(id, outbox) } : {}),
    ...(isOn('updates', updates) ? { onUpdate: sendUpdates(id, outbox) } : {}),
    ...readTrace({ traceparent, tracestate }),
  };
  return sessions.calls.run(async () =>
    toBashData(await session.call(input, { id, ...follow }), session.bash.artifacts),
  );
}

/** The span that a call belongs to; one that is none is as good as none. */
export function readTrace(
  fields: Readonly<Record<'traceparent' | 'tracestate', unknown>>,
): Pick<CallOptions, 'traceparent' | 'tracestate'> {
  return readFields(fields, { traceparent: text, tracestate: text });
}

function isOn(name: string, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (!truth.is(value)) throw badField(name, `expected ${truth.expected}`);
  return value;
}

/** Nothing is left out: while the client does not read, the command is not read either. */
function sendPieces(id: RequestId | undefined, outbox: Outbox<Message>): NonNullable<CallOptions['onBytes']> {
  const decoders = { out: new StringDecoder('utf8'), err: new StringDecoder('utf8') };
  return (stream: StreamName, chunk: Buffer) => {
    const delta = decoders[stream].write(chunk);
    if (delta !== '') outbox.send({ type: 'bash_execution_update', ...named(id), stream, delta });
    return outbox.ready();
  };
}

/** While the client does not read, only the latest is kept for it. */
function sendUpdates(id: RequestId | undefined, outbox: Outbox<Message>): (update: CallUpdate) => void {
  let latest: CallUpdate | null = null;
  const send = ({ runId, content }: CallUpdate): void =>
    outbox.send({ type: 'bash_update', ...named(id), runId, output: content[0]?.text ?? '' });
  return (update) => {
    const isWaiting = latest !== null;
    latest = update;
    if (isWaiting) return;
    const ready = outbox.ready();
    const go = (): void => {
      if (latest !== null) send(latest);
      latest = null;
    };
    if (ready === undefined) go();
    else void ready.then(go);
  };
}

function named(id: RequestId | undefined): { readonly id?: RequestId } {
  return id === undefined ? {} : { id };
}
