import {
  type Approver,
  type Bash,
  type BashOptions,
  type CallOptions,
  type CallResult,
  createBash,
  ToolAbortError,
} from '../../../index.ts';
import { whenAborted } from '../../serving/when-aborted.ts';
import type { Event, RequestId, SessionInfo } from '../protocol.ts';

export interface RpcSessionOptions {
  readonly name: string;
  readonly bash: BashOptions;
  readonly tell: (event: Event) => void;
  /** From then on nobody can answer a question here. */
  readonly unheard: AbortSignal;
}

type Followed = Pick<CallOptions, 'onUpdate' | 'onBytes' | 'traceparent' | 'tracestate'>;

interface RunningCall {
  readonly id: RequestId | undefined;
  readonly stop: AbortController;
  readonly yield: AbortController;
}

/** A session of the tool, and the calls that are under way in it. */
export class RpcSession {
  readonly bash: Bash;
  readonly info: SessionInfo;
  readonly #options: RpcSessionOptions;
  readonly #calls = new Set<RunningCall>();

  constructor(rpc: RpcSessionOptions) {
    const { name, bash: options, tell } = rpc;
    this.#options = rpc;
    this.bash = createBash({
      ...options,
      onJobEnd: (end) => tell({ type: 'job_ended', session: name, ...end }),
    });
    const { cwd = process.cwd(), profile = 'agent' } = options;
    this.info = { name, key: this.bash.session, cwd, profile };
  }

  /** An abort is an end like every other: what there is comes back. */
  async call(
    input: unknown,
    { id, ...follow }: Followed & { readonly id: RequestId | undefined },
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

  /** One call, or all of them; says how many there were. */
  abort(target: RequestId | undefined): number {
    return this.#each(target, ({ stop }) => stop.abort());
  }

  /** Ends the wait and not the command. */
  yield(target: RequestId | undefined): number {
    return this.#each(target, (call) => call.yield.abort());
  }

  async close(killSignal?: AbortSignal): Promise<void> {
    this.abort(undefined);
    await this.bash.close({ killSignal });
  }

  /** Puts the question to the client, which answers with a request of its own; so may anybody else. */
  #approver(id: RequestId | undefined): Approver {
    const { name: session, tell, unheard } = this.#options;
    return (question, settled) =>
      new Promise((resolve) => {
        tell({ type: 'approval_request', ...(id === undefined ? {} : { id }), session, question });
        whenAborted(settled, () => {
          tell({ type: 'approval_closed', session, question: question.id });
          resolve(undefined);
        });
        whenAborted(unheard, () => resolve({ answer: 'no', reason: 'The client is gone.' }));
      });
  }

  #each(target: RequestId | undefined, act: (call: RunningCall) => void): number {
    const meant = [...this.#calls].filter(({ id }) => target === undefined || id === target);
    for (const call of meant) act(call);
    return meant.length;
  }
}
