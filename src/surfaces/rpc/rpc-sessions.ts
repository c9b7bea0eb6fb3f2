import {
  type Approver,
  type Bash,
  type BashOptions,
  type CallOptions,
  type CallResult,
  createBash,
  NacreError,
  type ProfileName,
  ToolAbortError,
} from '../../index.ts';
import { BackpressureQueue, ConcurrencyLimit } from '../serving/concurrency-limit.ts';
import type { MessageWriter } from '../serving/json-lines.ts';
import { whenAborted } from '../serving/when-aborted.ts';
import type { Event, Hello, RequestId, SessionInfo } from './protocol.ts';
import { badField } from './request-fields.ts';

export interface RpcSessionOptions {
  readonly name: string;
  readonly bash: BashOptions;
  readonly sendEvent: (event: Event) => void;
  /** Aborted when the client can no longer answer questions. */
  readonly clientGone: AbortSignal;
}

type FollowOptions = Pick<CallOptions, 'onUpdate' | 'onBytes' | 'traceparent' | 'tracestate'>;

interface RunningCall {
  readonly id: RequestId | undefined;
  readonly stop: AbortController;
  readonly yield: AbortController;
}

/** A session and its running calls. */
export class RpcSession {
  readonly bash: Bash;
  readonly info: SessionInfo;
  readonly #options: RpcSessionOptions;
  readonly #calls = new Set<RunningCall>();

  constructor(rpc: RpcSessionOptions) {
    const { name, bash: options, sendEvent } = rpc;
    this.#options = rpc;
    this.bash = createBash({
      ...options,
      onJobEnd: (end) => sendEvent({ type: 'job_ended', session: name, ...end }),
    });
    const { cwd = process.cwd(), profile = 'agent' } = options;
    this.info = { name, key: this.bash.session, cwd, profile };
  }

  /** An aborted call resolves with its partial result. */
  async call(
    input: unknown,
    { id, ...follow }: FollowOptions & { readonly id: RequestId | undefined },
  ): Promise<CallResult> {
    const call: RunningCall = { id, stop: new AbortController(), yield: new AbortController() };
    this.#calls.add(call);
    try {
      return await this.bash.call(input, {
        ...follow,
        signal: call.stop.signal,
        yieldSignal: call.yield.signal,
        approve: this.#approver(id),
      });
    } catch (error) {
      if (error instanceof ToolAbortError) return error.result;
      throw error;
    } finally {
      this.#calls.delete(call);
    }
  }

  /** Stops one call or all of them and returns their number. */
  abort(target: RequestId | undefined): number {
    return this.#each(target, ({ stop }) => stop.abort());
  }

  /** Moves one call or all of them to the background and returns their number. */
  yield(target: RequestId | undefined): number {
    return this.#each(target, (call) => call.yield.abort());
  }

  async close(killSignal?: AbortSignal): Promise<void> {
    this.abort(undefined);
    await this.bash.close({ killSignal });
  }

  /** Sends the question to the client, which answers with a request; another program may answer first. */
  #approver(id: RequestId | undefined): Approver {
    const { name: session, sendEvent, clientGone } = this.#options;
    return (question, settled) =>
      new Promise((resolve) => {
        sendEvent({ type: 'approval_request', ...(id === undefined ? {} : { id }), session, question });
        whenAborted(settled, () => {
          sendEvent({ type: 'approval_closed', session, question: question.id });
          resolve(undefined);
        });
        whenAborted(clientGone, () => resolve({ answer: 'no', reason: 'The client has disconnected.' }));
      });
  }

  #each(target: RequestId | undefined, act: (call: RunningCall) => void): number {
    const meant = [...this.#calls].filter(({ id }) => target === undefined || id === target);
    for (const call of meant) act(call);
    return meant.length;
  }
}

const MAX_RPC_SESSIONS = 64;
/** The session of requests that name none; it always exists. */
const DEFAULT_SESSION = 'main';

export interface NewRpcSession {
  readonly name: string;
  readonly cwd?: string;
  readonly profile?: ProfileName;
}

/** The sessions of one client by name. */
export class RpcSessions {
  readonly calls: ConcurrencyLimit = new ConcurrencyLimit(100, 'calls are under way');
  readonly jobCalls: ConcurrencyLimit = new ConcurrencyLimit(100, 'requests for jobs are under way');
  readonly reads: BackpressureQueue;
  readonly #options: BashOptions;
  readonly #tell: (event: Event) => void;
  readonly #unheard = new AbortController();
  readonly #sessions = new Map<string, RpcSession>();

  constructor(options: BashOptions, outbox: Pick<MessageWriter<Event>, 'send' | 'ready'>) {
    this.#options = options;
    this.#tell = (event) => outbox.send(event);
    this.reads = new BackpressureQueue(new ConcurrencyLimit(1_000, 'artifacts wait to be read'), () =>
      outbox.ready(),
    );
  }

  find(name: string = DEFAULT_SESSION): RpcSession {
    const found = this.#sessions.get(name);
    if (found !== undefined) return found;
    if (name === DEFAULT_SESSION) return this.#make(DEFAULT_SESSION, this.#options);
    throw badField('session', `unknown session ${JSON.stringify(name)}. Open it with open_session`);
  }

  /** Opens a session, or returns the existing one of that name. */
  open({ name, ...more }: NewRpcSession): SessionInfo {
    const found = this.#sessions.get(name);
    if (found !== undefined) return found.info;
    if (this.#sessions.size >= MAX_RPC_SESSIONS)
      throw new NacreError('too_many', {
        what: 'sessions are open',
        limit: MAX_RPC_SESSIONS,
        advice: 'Close one',
      });
    return this.#make(name, { ...this.#options, ...more, session: name }).info;
  }

  list(): readonly SessionInfo[] {
    return [...this.#sessions.values()].map(({ info }) => info);
  }

  /** Stops the session's calls; its jobs keep running. */
  async close(name: string, killSignal?: AbortSignal): Promise<void> {
    const session = this.find(name);
    this.#sessions.delete(name);
    await session.close(killSignal);
  }

  get limits(): Omit<Hello['limits'], 'lineBytes'> {
    return {
      calls: this.calls.limit,
      jobs: this.jobCalls.limit,
      reads: this.reads.limit,
      sessions: MAX_RPC_SESSIONS,
    };
  }

  /** Refuses all questions, because the client can no longer answer. */
  rejectOpenQuestions(): void {
    this.#unheard.abort();
  }

  async closeAll(killSignal: AbortSignal): Promise<void> {
    this.rejectOpenQuestions();
    await Promise.all([...this.#sessions.keys()].map((name) => this.close(name, killSignal)));
  }

  #make(name: string, bash: BashOptions): RpcSession {
    const session = new RpcSession({ name, bash, sendEvent: this.#tell, clientGone: this.#unheard.signal });
    this.#sessions.set(name, session);
    return session;
  }
}
