import { requireStateVersion } from '../../engine/run/state-version.ts';
import { NacreError } from '../../errors.ts';
import type { Answer, OpenQuestion, QuestionEvent } from '../contract/policy-verdict.ts';
import { type LearnedRule, LearnedRules } from './learned-rules.ts';
import { QuestionStore, watchDirectory } from './question-store.ts';

/** The pending approvals of a state directory, from any process. */
export interface Approvals {
  /** Returns the open questions, oldest first. */
  list(): readonly OpenQuestion[];
  /**
   * Answers a question, given by its id or a unique beginning of it.
   *
   * @throws {NacreError} `approval_not_found` when it is already answered or does not exist
   */
  answer(id: string, answer: Answer, options?: { readonly reason?: string }): OpenQuestion;
  /**
   * Reports the open questions and then every new and every settled one. Returns a function that stops the
   * watch.
   */
  watch(listener: (event: QuestionEvent) => void): () => void;
  /** Returns the rules stored by lasting answers, of every scope. */
  rules(): readonly LearnedRule[];
  /**
   * Deletes a stored rule and returns it.
   *
   * @throws {NacreError} `approval_not_found`
   */
  forget(ruleId: string): LearnedRule;
}

/** Options for `openApprovals`. */
export interface ApprovalsOptions {
  readonly stateDirectory: string;
  /**
   * Limits the questions to one session.
   *
   * @default null
   */
  readonly session?: string | null;
}

/** Opens the pending approvals of a state directory, including those of other processes. */
export function openApprovals({ stateDirectory, session = null }: ApprovalsOptions): Approvals {
  requireStateVersion(stateDirectory);
  const store = new QuestionStore(stateDirectory);
  const learned = new LearnedRules(stateDirectory);
  const isIncluded = (question: OpenQuestion): boolean => session === null || question.session === session;
  const list = (): readonly OpenQuestion[] => store.list().filter(isIncluded);
  return {
    list,
    answer: (id, answer, { reason } = {}) => {
      const question = store.find(id);
      if (!isIncluded(question)) throw new NacreError('approval_not_found', { id });
      // Stored before the command can run, because another command may already wait for the same answer.
      learned.add(question, answer);
      const reply = reason === undefined ? { answer } : { answer, reason };
      if (store.settle(question.id, reply) !== reply) throw new NacreError('approval_not_found', { id });
      return question;
    },
    watch: (listener) => watchQuestions({ directory: store.directory, list, listener }),
    rules: () => learned.list(),
    forget: (id) => learned.forget(id),
  };
}

interface QuestionWatch {
  readonly directory: string;
  readonly list: () => readonly OpenQuestion[];
  readonly listener: (event: QuestionEvent) => void;
}

function watchQuestions({ directory, list, listener }: QuestionWatch): () => void {
  const known = new Map<string, OpenQuestion>();
  const check = (): void => {
    const open = new Map(list().map((question) => [question.id, question]));
    for (const [id, question] of known) {
      if (open.has(id)) continue;
      known.delete(id);
      listener({ kind: 'settled', question });
    }
    for (const [id, question] of open) {
      if (known.has(id)) continue;
      known.set(id, question);
      listener({ kind: 'asked', question });
    }
  };
  check();
  return watchDirectory(directory, check);
}
