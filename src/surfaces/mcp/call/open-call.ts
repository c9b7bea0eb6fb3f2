import type { Answer, Asking, Bash, CallResult, CallUpdate } from '../../../index.ts';

/** What a request of the call is told while it waits. */
export interface CallFollower {
  /** Ends the command. */
  readonly signal: AbortSignal;
  readonly onUpdate: (text: string) => void;
}

interface Question {
  readonly asking: Asking;
  settle(answer: Answer): void;
}

export interface OpenCallOptions {
  /** Whether the client can put a question to a person. */
  readonly canAsk: boolean;
  /** How long an answer may take. */
  readonly answerWithinMs: number;
}

/**
 * One call of the bash tool. It may take several requests: a question to the person ends one of them, and the answer comes
 * with the next.
 */
export class OpenCall {
  readonly id: string = crypto.randomUUID();
  readonly #options: OpenCallOptions;
  readonly #stop = new AbortController();
  readonly #kill = new AbortController();
  readonly #yield = new AbortController();
  readonly #waiting: ((question: Question) => void)[] = [];
  #question: Question | null = null;
  #follower: CallFollower | null = null;

  constructor(options: OpenCallOptions) {
    this.#options = options;
  }

  run(bash: Bash, input: unknown): Promise<CallResult> {
    return bash.call(input, {
      signal: this.#stop.signal,
      killSignal: this.#kill.signal,
      yieldSignal: this.#yield.signal,
      onUpdate: (update: CallUpdate) => this.#follower?.onUpdate(update.content[0]?.text ?? ''),
    });
  }

  /** From now on this request is the one that waits. What it returns ends that. */
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
    this.#question?.settle('no');
    this.#stop.abort();
  }

  /** At once, without a grace. */
  kill(): void {
    this.#kill.abort();
  }

  /** Ends the wait: the command goes on as a job. */
  yield(): void {
    this.#yield.abort();
  }

  /** For whoever approves: resolves with what the person says, and with no when nobody says anything. */
  ask(asking: Asking, signal?: AbortSignal): Promise<Answer> {
    if (!this.#options.canAsk) throw new Error(CANNOT_ASK);
    return new Promise((resolve) => {
      const settle = (answer: Answer): void => {
        clearTimeout(timer);
        this.#question = null;
        resolve(answer);
      };
      const timer = setTimeout(() => settle('no'), this.#options.answerWithinMs);
      signal?.addEventListener('abort', () => settle('no'), { once: true });
      this.#question = { asking, settle };
      for (const tell of this.#waiting.splice(0)) tell(this.#question);
    });
  }

  /** The question that is open, or the next one. */
  asked(): Promise<Asking> {
    if (this.#question !== null) return Promise.resolve(this.#question.asking);
    return new Promise((resolve) => this.#waiting.push(({ asking }) => resolve(asking)));
  }

  answer(answer: Answer): void {
    this.#question?.settle(answer);
  }
}

const CANNOT_ASK =
  'this MCP client cannot put questions to a person (it declares no elicitation). A rule in the settings can allow the command, or a client that can ask.';
