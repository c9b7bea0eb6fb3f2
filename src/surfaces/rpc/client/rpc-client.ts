import type { Answer, JobEnd, JobResult, OpenQuestion, Reply, StreamName } from '../../../index.ts';
import type {
  BashData,
  CommandType,
  Event,
  Hello,
  ReadArtifactCommand,
  RequestId,
  ResponseData,
  SearchArtifactCommand,
  SessionInfo,
} from '../protocol.ts';
import { RpcConnection, RpcError } from './connection.ts';

export type {
  BashCommand,
  BashData,
  Command,
  CommandType,
  Event,
  Hello,
  Message,
  RawBytes,
  ReadArtifactCommand,
  Request,
  RequestId,
  Response,
  ResponseData,
  RpcRange,
  SearchArtifactCommand,
  SessionInfo,
} from '../protocol.ts';
export { RpcError } from './connection.ts';

export interface RpcClientOptions {
  /**
   * The program to start; `rpc` and `args` are appended.
   *
   * @default this package's own, on this Node
   */
  readonly command?: readonly string[];
  /**
   * Options of `nacre rpc`.
   *
   * @default []
   */
  readonly args?: readonly string[];
  /** @default process.cwd() */
  readonly cwd?: string;
  /** @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** Decides about a command that needs approval. A missing or failing handler refuses. */
  readonly onApproval?: (question: OpenQuestion) => Answer | Reply | Promise<Answer | Reply>;
  /** Called when a job ends. */
  readonly onJobEnd?: (end: JobEnd & { readonly session: string }) => void;
}

/** Options of one call over RPC. */
export interface RpcCallOptions {
  /** Stops the command; the call then resolves with the partial result and `cancelled`. */
  readonly signal?: AbortSignal;
  /** Called with every piece of the output as text. */
  readonly onOutput?: (delta: string, stream: StreamName) => void;
  /** Called with the end of the output so far. */
  readonly onUpdate?: (output: string) => void;
  readonly session?: string;
  /** The span that the call belongs to, in W3C Trace Context format. */
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** Options of one call of the job tool over RPC. */
export type RpcJobOptions = Pick<RpcCallOptions, 'session' | 'traceparent' | 'tracestate'>;

type Fields = Readonly<Record<string, unknown>>;

/** A client with its own `nacre rpc` process. */
export interface RpcClient {
  readonly pid: number | undefined;
  hello(): Promise<Hello>;
  /** Runs one command. Resolves for every result, as `bash.call()` does. */
  bash(input: Fields & { readonly command: string }, options?: RpcCallOptions): Promise<BashData>;
  job(input: Fields, options?: RpcJobOptions): Promise<JobResult>;
  readArtifact(what: Omit<ReadArtifactCommand, 'type'>): Promise<ResponseData['read_artifact']>;
  searchArtifact(what: Omit<SearchArtifactCommand, 'type'>): Promise<ResponseData['search_artifact']>;
  openSession(session: { readonly name: string; readonly cwd?: string }): Promise<SessionInfo>;
  /** Sends any request by its type. Rejects with an `RpcError` when it fails. */
  request<Type extends CommandType>(type: Type, fields?: Fields): Promise<ResponseData[Type]>;
  /** Stops the running calls and the server; jobs keep running. */
  close(): Promise<void>;
}

/** Starts a `nacre rpc` process and returns a client for it. */
export function createRpcClient(options: RpcClientOptions = {}): RpcClient {
  const { command, args = [], cwd, env } = options;
  const followers = new Map<RequestId, RpcCallOptions>();
  const connection = new RpcConnection({ command, args, cwd, env, onEvent: (event) => void take(event) });

  const send = async (type: string, fields: Fields, id: RequestId = connection.newId()): Promise<unknown> => {
    const response = await connection.request({ ...fields, id, type });
    // A refused call also has a result.
    if (response.success || response.data !== undefined) return response.data;
    throw new RpcError(response.errorId, response.error);
  };
  const request: RpcClient['request'] = async (type, fields = {}) =>
    (await send(type, fields)) as ResponseData[typeof type];

  const take = async (event: Event): Promise<void> => {
    if (event.type === 'job_ended') options.onJobEnd?.(event);
    if (event.type === 'approval_request') await answer(event);
    if (!('id' in event) || event.id === undefined) return;
    if (event.type === 'bash_execution_update')
      followers.get(event.id)?.onOutput?.(event.delta, event.stream);
    if (event.type === 'bash_update') followers.get(event.id)?.onUpdate?.(event.output);
  };
  const answer = async ({
    question,
    session,
  }: Event & { readonly type: 'approval_request' }): Promise<void> => {
    const said = await Promise.resolve(question)
      .then(options.onApproval ?? (() => 'no' as const))
      .catch(() => 'no' as const);
    const reply = typeof said === 'string' ? { answer: said } : said;
    // Another program may have answered first.
    await request('answer_approval', { question: question.id, session, ...reply }).catch(() => undefined);
  };
  const call = async (input: Fields, follow: RpcCallOptions): Promise<BashData> => {
    const id = connection.newId();
    const { signal, onOutput, onUpdate, session, traceparent, tracestate } = follow;
    // JSON omits undefined fields.
    const abort = (): void => void request('abort_bash', { target: id, session }).catch(() => undefined);
    const how = {
      ...(onOutput ? { stream: true } : {}),
      ...(onUpdate ? { updates: true } : {}),
      ...{ session, traceparent, tracestate },
    };
    followers.set(id, follow);
    try {
      const result = send('bash', { ...input, ...how }, id);
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
      return (await result) as BashData;
    } finally {
      followers.delete(id);
      signal?.removeEventListener('abort', abort);
    }
  };

  return {
    get pid() {
      return connection.pid;
    },
    hello: () => request('hello'),
    bash: (input, follow = {}) => call(input, follow),
    job: (input, options = {}) => request('job', { ...options, input }),
    readArtifact: (what) => request('read_artifact', { ...what }),
    searchArtifact: (what) => request('search_artifact', { ...what }),
    openSession: (session) => request('open_session', session),
    request,
    close: async () => {
      await request('shutdown').catch(() => undefined);
      await connection.end();
    },
  };
}
