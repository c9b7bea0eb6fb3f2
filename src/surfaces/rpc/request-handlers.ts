import { StringDecoder } from 'node:string_decoder';
import type { Artifact, Artifacts, CallOptions, CallResult, CallUpdate, StreamName } from '../../index.ts';
import type { MessageWriter } from '../serving/json-lines.ts';
import {
  type BashData,
  type CommandType,
  type Message,
  PROTOCOL_VERSION,
  type RequestId,
  type ResponseData,
} from './protocol.ts';
import {
  anyField,
  badField,
  booleanField,
  countField,
  enumField,
  rangeField,
  readFields,
  requestIdField,
  textField,
} from './request-fields.ts';
import type { RpcSession, RpcSessions } from './rpc-sessions.ts';

/** A request with the services that its handler needs. */
export interface RpcRequestContext {
  readonly id: RequestId | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly session: RpcSession;
  readonly sessions: RpcSessions;
  readonly outbox: MessageWriter<Message>;
  readonly version: string;
  readonly lineBytes: number;
  /** Stops the server after this request has been answered. */
  shutdown(): void;
}

/** Converts a result to response data, with additional fields for clients of pi. */
export function toBashData(result: CallResult, artifacts: Artifacts): BashData {
  const { output, exitCode, aborted, timedOut, runId, artifact } = result.run;
  const isCut = output.omitted !== null;
  const path = isCut && runId !== null ? findOutputPath(runId, artifacts) : undefined;
  return {
    output: output.text,
    exitCode,
    cancelled: aborted || timedOut,
    truncated: isCut,
    totalLines: output.totalLines,
    totalBytes: output.totalBytes,
    outputLines: output.shown.reduce((sum, { from, to }) => sum + to - from + 1, 0),
    outputBytes: Buffer.byteLength(output.text),
    artifactId: artifact === null ? null : runId,
    ...(path === undefined ? {} : { fullOutputPath: path }),
    ...result,
  };
}

/** The output file; `undefined` when the middle of the output was not stored. */
function findOutputPath(runId: string, artifacts: Artifacts): string | undefined {
  try {
    return artifacts.paths(runId)[0];
  } catch {
    return undefined;
  }
}

/** Runs a call of the bash tool, which validates its own fields. */
export function handleBash({ id, fields, session, sessions, outbox }: RpcRequestContext): Promise<BashData> {
  const { stream, updates, traceparent, tracestate, ...input } = fields;
  const follow = {
    ...(readSwitch('stream', stream) ? { onBytes: streamOutput(id, outbox) } : {}),
    ...(readSwitch('updates', updates) ? { onUpdate: sendUpdates(id, outbox) } : {}),
    ...readTraceFields({ traceparent, tracestate }),
  };
  return sessions.calls.run(async () =>
    toBashData(await session.call(input, { id, ...follow }), session.bash.artifacts),
  );
}

/** The trace context of a request. */
export function readTraceFields(
  fields: Readonly<Record<'traceparent' | 'tracestate', unknown>>,
): Pick<CallOptions, 'traceparent' | 'tracestate'> {
  return readFields(fields, { traceparent: textField, tracestate: textField });
}

function readSwitch(name: string, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (!booleanField.is(value)) throw badField(name, `expected ${booleanField.expected}`);
  return value;
}

/** Sends all output; the command is not read while the client does not read. */
function streamOutput(
  id: RequestId | undefined,
  outbox: MessageWriter<Message>,
): NonNullable<CallOptions['onBytes']> {
  const decoders = { out: new StringDecoder('utf8'), err: new StringDecoder('utf8') };
  return (stream: StreamName, chunk: Buffer) => {
    const delta = decoders[stream].write(chunk);
    if (delta !== '') outbox.send({ type: 'bash_execution_update', ...toIdField(id), stream, delta });
    return outbox.ready();
  };
}

/** Sends updates; while the client does not read, only the latest is kept. */
function sendUpdates(
  id: RequestId | undefined,
  outbox: MessageWriter<Message>,
): (update: CallUpdate) => void {
  let latest: CallUpdate | null = null;
  const send = ({ runId, content }: CallUpdate): void =>
    outbox.send({ type: 'bash_update', ...toIdField(id), runId, output: content[0]?.text ?? '' });
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

function toIdField(id: RequestId | undefined): { readonly id?: RequestId } {
  return id === undefined ? {} : { id };
}

type ArtifactFields = Readonly<Record<string, unknown>>;

const DEFAULT_TAIL_LINES = 100;
/** The most raw bytes in one response, which reports where it ends. */
const RAW_BYTES = 1024 * 1024;

export async function handleReadArtifact(
  fields: ArtifactFields,
  artifacts: Artifacts,
): Promise<ResponseData['read_artifact']> {
  const kinds = {
    artifact: textField,
    lines: rangeField(1),
    head: countField,
    tail: countField,
    bytes: rangeField(0),
    raw: booleanField,
  };
  const asked = readFields(fields, kinds, 'artifact');
  const { lines, head, tail, bytes, raw = false } = asked;
  const ways = (['lines', 'head', 'tail', 'bytes'] as const).filter((name) => asked[name] !== undefined);
  if (ways.length > 1) throw badField(ways[1] ?? '', `cannot be combined with ${ways[0]}`);
  if (raw && bytes === undefined) throw badField('raw', 'goes with bytes only');
  const artifact = artifacts.open(asked.artifact);
  const { totalBytes } = artifact;
  if (bytes !== undefined && raw) return { ...(await readRawBytes(artifact, bytes)), totalBytes };
  if (bytes !== undefined) return { ...(await artifact.text(bytes)), totalBytes };
  if (lines !== undefined) return { ...(await artifact.lines(lines)), totalBytes };
  const read = head === undefined ? artifact.tail(tail ?? DEFAULT_TAIL_LINES) : artifact.head(head);
  return { ...(await read), totalBytes };
}

async function readRawBytes(artifact: Artifact, { from, to }: { from: number; to: number }) {
  const piece = await artifact.bytes({ from, to: Math.min(to, from + RAW_BYTES) });
  return { base64: piece.bytes.toString('base64'), from: piece.from, to: piece.to, notes: piece.notes };
}

export async function handleSearchArtifact(
  fields: ArtifactFields,
  artifacts: Artifacts,
): Promise<ResponseData['search_artifact']> {
  const kinds = {
    artifact: textField,
    pattern: textField,
    regex: booleanField,
    limit: countField,
    context: countField,
  };
  const { artifact: name, pattern, regex = false, ...how } = readFields(fields, kinds, 'artifact', 'pattern');
  const artifact = artifacts.open(name);
  const matches = await artifact.search({ pattern: regex ? toPattern(pattern) : pattern, ...how });
  return { ...matches, totalBytes: artifact.totalBytes };
}

function toPattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch (error) {
    throw badField('pattern', error instanceof Error ? error.message : String(error));
  }
}

type Handlers = {
  readonly [Type in CommandType]: (
    asked: RpcRequestContext,
  ) => Promise<ResponseData[Type]> | ResponseData[Type];
};

/** The handler of each request type. */
export const REQUEST_HANDLERS: Handlers = {
  hello: ({ version, lineBytes, session, sessions, fields }) => {
    readFields(fields, {});
    return {
      name: 'nacre',
      version,
      protocol: PROTOCOL_VERSION,
      commands: Object.keys(REQUEST_HANDLERS),
      limits: { lineBytes, ...sessions.limits },
      session: session.info,
    };
  },
  tools: ({ session: { bash }, fields }) => {
    readFields(fields, {});
    return { tools: bash.jobTool === null ? [bash.tool] : [bash.tool, bash.jobTool] };
  },
  bash: handleBash,
  abort_bash: ({ session, fields }) => ({
    aborted: session.abort(readFields(fields, { target: requestIdField }).target),
  }),
  yield_bash: ({ session, fields }) => ({
    yielded: session.yield(readFields(fields, { target: requestIdField }).target),
  }),
  job: ({ session, sessions, fields: { traceparent, tracestate, ...fields } }) => {
    const { input } = readFields(fields, { input: anyField }, 'input');
    const trace = readTraceFields({ traceparent, tracestate });
    return sessions.jobCalls.run(() => session.bash.job(input, trace));
  },
  explain: ({ session, fields }) =>
    session.bash.explain(readFields(fields, { command: textField }, 'command').command),
  list_artifacts: ({ session: { bash }, fields }) => {
    readFields(fields, {});
    return { artifacts: bash.artifacts.list() };
  },
  read_artifact: ({ session: { bash }, sessions: { reads }, fields }) =>
    reads.run(() => handleReadArtifact(fields, bash.artifacts)),
  search_artifact: ({ session: { bash }, sessions: { reads }, fields }) =>
    reads.run(() => handleSearchArtifact(fields, bash.artifacts)),
  answer_approval: ({ session: { bash }, fields }) => {
    const kinds = {
      question: textField,
      answer: enumField('once', 'always', 'project', 'everywhere', 'no'),
      reason: textField,
    };
    const { question, answer, reason } = readFields(fields, kinds, 'question', 'answer');
    bash.approvals.answer(question, answer, reason === undefined ? {} : { reason });
    return {};
  },
  open_session: ({ sessions, fields }) =>
    sessions.open(
      readFields(
        fields,
        { name: textField, cwd: textField, profile: enumField('agent', 'modes', 'simple') },
        'name',
      ),
    ),
  close_session: async ({ sessions, fields }) => {
    await sessions.close(readFields(fields, { name: textField }, 'name').name);
    return {};
  },
  reset_session: ({ session, fields }) => {
    readFields(fields, {});
    session.bash.resetState();
    return {};
  },
  list_sessions: ({ sessions, fields }) => {
    readFields(fields, {});
    return { sessions: sessions.list() };
  },
  shutdown: ({ shutdown, fields }) => {
    readFields(fields, {});
    shutdown();
    return {};
  },
};
