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
  readonly #files: QuestionStore;
  readonly #learned: LearnedRules;
  readonly #waitMs: number;
  readonly #closing = new AbortController();

  constructor({ stateDirectory, waitMs }: ApprovalAskerOptions) {
    this.#files = new QuestionStore(stateDirectory);
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
    const settled = new AbortController();
    const ends = [settled.signal, this.#closing.signal, ...(signal === undefined ? [] : [signal])];
    const over = AbortSignal.any(ends);
    this.#files.put(question);
    try {
      const answers = [this.#answerOnDisk(id, over), callApprover(question, { approve, signal: over })];
      return this.#settle(question, await Promise.race(answers));
    } finally {
      settled.abort();
      this.#files.remove(id);
    }
  }

  /** Withdraws all open questions. */
  close(): void {
    this.#closing.abort();
  }

  /** The first answer in the store decides, even if another one arrived here earlier. */
  #settle(question: OpenQuestion, heard: SettledReply): SettledReply {
    const { by, ...own } = heard;
    const counts = this.#files.settle(question.id, own);
    if (counts !== own) return { ...counts, by: 'person' };
    this.#learned.add(question, own.answer);
    return { ...own, by };
  }

  #answerOnDisk(id: string, over: AbortSignal): Promise<SettledReply> {
    return new Promise((resolve) => {
      const settle = (reply: Reply | null): void => {
        unwatch();
        clearTimeout(waiting);
        over.removeEventListener('abort', onOver);
        resolve(reply === null ? UNANSWERED : { ...reply, by: 'person' });
      };
      const look = (): void => {
        const reply = this.#files.replyTo(id);
        if (reply !== null) settle(reply);
      };
      const onOver = (): void => settle(null);
      const unwatch = watchDirectory(this.#files.directory, look);
      const waiting = setTimeout(() => settle(this.#files.replyTo(id)), this.#waitMs);
      over.addEventListener('abort', onOver);
      if (over.aborted) settle(null);
      else look();
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
