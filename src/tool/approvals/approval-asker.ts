import {
  type Answer,
  type Approver,
  type Asking,
  isAnswer,
  type OpenQuestion,
  type Reply,
} from '../contract/policy-verdict.ts';
import { LearnedRules } from './learned-rules.ts';
import { QuestionStore, watchDirectory } from './question-store.ts';

/** Options for asking questions. */
interface ApprovalAskerOptions {
  readonly stateDirectory: string;
  /** How long a question waits for an answer; 0 disables questions. */
  readonly waitMs: number;
}

/** The outcome of a question. */
export interface SettledReply extends Reply {
  /** `nobody` when no answer arrived in time; the answer is then `no`. */
  readonly by: 'person' | 'nobody';
}

interface AskOptions {
  readonly approve: Approver | null;
  /** Abort signal of the call. */
  readonly signal: AbortSignal | undefined;
}

const UNANSWERED: SettledReply = { answer: 'no', by: 'nobody' };

/** Asks the questions of one instance and waits for the answers. */
export class ApprovalAsker {
  readonly #store: QuestionStore;
  readonly #learned: LearnedRules;
  readonly #waitMs: number;
  readonly #closing = new AbortController();

  constructor({ stateDirectory, waitMs }: ApprovalAskerOptions) {
    this.#store = new QuestionStore(stateDirectory);
    this.#learned = new LearnedRules(stateDirectory);
    this.#waitMs = waitMs;
  }

  get waitMs(): number {
    return this.#waitMs;
  }

  get closed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Returns the stored rules of every scope; the same array until they change. */
  learned(): ReturnType<LearnedRules['list']> {
    return this.#learned.list();
  }

  /** Returns the first answer: from the approver or from the question store. Rejects when the approver does. */
  async ask(asking: Asking, { approve, signal }: AskOptions): Promise<SettledReply> {
    if (this.#waitMs === 0) return UNANSWERED;
    const askedAt = Date.now();
    const id = createQuestionId();
    const question: OpenQuestion = { ...asking, id, askedAt, expiresAt: askedAt + this.#waitMs };
    const finished = new AbortController();
    const ends = [finished.signal, this.#closing.signal, ...(signal === undefined ? [] : [signal])];
    const ended = AbortSignal.any(ends);
    this.#store.put(question);
    try {
      const answers = [this.#answerOnDisk(id, ended), callApprover(question, { approve, signal: ended })];
      return this.#settle(question, await Promise.race(answers));
    } finally {
      finished.abort();
      this.#store.remove(id);
    }
  }

  /** Withdraws all open questions. */
  close(): void {
    this.#closing.abort();
  }

  /** The first answer in the store decides, even if another one arrived here earlier. */
  #settle(question: OpenQuestion, reply: SettledReply): SettledReply {
    const { by, ...own } = reply;
    const accepted = this.#store.settle(question.id, own);
    if (accepted !== own) return { ...accepted, by: 'person' };
    this.#learned.add(question, own.answer);
    return { ...own, by };
  }

  #answerOnDisk(id: string, ended: AbortSignal): Promise<SettledReply> {
    return new Promise((resolve) => {
      const settle = (reply: Reply | null): void => {
        unwatch();
        clearTimeout(timer);
        ended.removeEventListener('abort', onEnded);
        resolve(reply === null ? UNANSWERED : { ...reply, by: 'person' });
      };
      const check = (): void => {
        const reply = this.#store.replyTo(id);
        if (reply !== null) settle(reply);
      };
      const onEnded = (): void => settle(null);
      const unwatch = watchDirectory(this.#store.directory, check);
      const timer = setTimeout(() => settle(this.#store.replyTo(id)), this.#waitMs);
      ended.addEventListener('abort', onEnded);
      if (ended.aborted) settle(null);
      else check();
    });
  }
}

/** Never resolves without an approver, or when the approver returns nothing and leaves the answer to others. */
async function callApprover(
  question: OpenQuestion,
  { approve, signal }: { readonly approve: Approver | null; readonly signal: AbortSignal },
): Promise<SettledReply> {
  const given = await approve?.(question, signal);
  if (given === undefined || given === null) return new Promise(() => undefined);
  const reply = typeof given === 'string' ? { answer: given } : given;
  return { ...reply, answer: toAnswer(reply.answer), by: 'person' };
}

/** An invalid answer counts as `no`. */
function toAnswer(answer: Answer): Answer {
  return isAnswer(answer) ? answer : 'no';
}

/** Creates an id that is short enough to type. Ids are unique only among open questions. */
function createQuestionId(): string {
  return crypto.randomUUID().replaceAll('-', '').slice(0, 10);
}
