import { setTimeout as pause } from 'node:timers/promises';
import { type ServerContext, TRACEPARENT_META_KEY, TRACESTATE_META_KEY } from '@modelcontextprotocol/server';
import type {
  Answer,
  Approver,
  Bash,
  CallOptions,
  CallResult,
  CallUpdate,
  OpenQuestion,
} from '../../index.ts';

export type TraceContext = Pick<CallOptions, 'traceparent' | 'tracestate'>;

/** The client's span that a request belongs to. */
export function readTraceContext({ mcpReq }: ServerContext): TraceContext {
  const { [TRACEPARENT_META_KEY]: traceparent, [TRACESTATE_META_KEY]: tracestate } = (mcpReq._meta ??
    {}) as Readonly<Record<string, unknown>>;
  if (typeof traceparent !== 'string') return {};
  return { traceparent, ...(typeof tracestate === 'string' ? { tracestate } : {}) };
}

/** The request that currently waits for the call. */
export interface CallFollower {
  /** Stops the command. */
  readonly signal: AbortSignal;
  readonly onUpdate: (text: string) => void;
}

interface AskedQuestion {
  readonly question: OpenQuestion;
  settle(answer: Answer): void;
}

export interface MultiRequestCallOptions {
  readonly trace: TraceContext;
  /** Whether the client supports elicitation. */
  readonly canAsk: boolean;
  /** Time for an answer from another program when the client does not support elicitation. */
  readonly answeredElsewhereMs: number;
}

/**
 * One call of the bash tool, which may span several requests: an approval question completes one request, and
 * the next one brings the answer.
 */
export class MultiRequestCall {
  readonly id: string = crypto.randomUUID();
  readonly #options: MultiRequestCallOptions;
  readonly #stop = new AbortController();
  readonly #kill = new AbortController();
  readonly #yield = new AbortController();
  readonly #waiting: ((question: OpenQuestion) => void)[] = [];
  #asked: AskedQuestion | null = null;
  #follower: CallFollower | null = null;

  constructor(options: MultiRequestCallOptions) {
    this.#options = options;
  }

  run(bash: Bash, input: unknown): Promise<CallResult> {
    return bash.call(input, {
      ...this.#options.trace,
      signal: this.#stop.signal,
      killSignal: this.#kill.signal,
      yieldSignal: this.#yield.signal,
      approve: this.#approve,
      onUpdate: (update: CallUpdate) => this.#follower?.onUpdate(update.content[0]?.text ?? ''),
    });
  }

  /** Makes this request the one that waits, until the returned function is called. */
  follow(follower: CallFollower): () => void {
    const stop = (): void => this.stop();
    this.#follower = follower;
    if (follower.signal.aborted) stop();
    else follower.signal.addEventListener('abort', stop, { once: true });
    return () => {
      follower.signal.removeEventListener('abort', stop);
      if (this.#follower === follower) this.#follower = null;
    };
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Kills the command without a grace period. */
  kill(): void {
    this.#kill.abort();
  }

  /** Moves the command to the background as a job. */
  yield(): void {
    this.#yield.abort();
  }

  /** Resolves with the pending question, or the next one. */
  question(): Promise<OpenQuestion> {
    if (this.#asked !== null) return Promise.resolve(this.#asked.question);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  answer(answer: Answer): void {
    this.#asked?.settle(answer);
  }

  readonly #approve: Approver = async (question, settled) => {
    const { canAsk, answeredElsewhereMs } = this.#options;
    if (!canAsk) return waitForOtherAnswer(answeredElsewhereMs, settled);
    return new Promise((resolve) => {
      const settle = (answer: Answer | undefined): void => {
        this.#asked = null;
        resolve(answer);
      };
      // Another program has answered, or the call has ended.
      settled.addEventListener('abort', () => settle(undefined), { once: true });
      this.#asked = { question, settle };
      for (const tell of this.#waiting.splice(0)) tell(question);
    });
  };
}

/** Waits for an answer from another program, then refuses. */
async function waitForOtherAnswer(
  ms: number,
  settled: AbortSignal,
): Promise<{ answer: 'no'; reason: string }> {
  await pause(ms, undefined, { signal: settled }).catch(() => undefined);
  return { answer: 'no', reason: CANNOT_ASK };
}

const CANNOT_ASK =
  'This MCP client does not support elicitation, so the user cannot be asked. The user can allow the command with a rule in the settings (policy.approvals.rules).';
