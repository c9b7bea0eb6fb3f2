import { NacreError } from '../../errors.ts';
import type { Answer, OpenQuestion, QuestionEvent } from '../contract/policy-verdict.ts';
import { type LearnedRule, LearnedRules } from './learned-rules.ts';
import { QuestionStore, watchDirectory } from './question-store.ts';

/** The questions that wait for a person, whoever asked them. */
export interface Approvals {
  /** Those that still wait, oldest first. */
  list(): readonly OpenQuestion[];
  /**
   * Answers one, by its id or the start of it.
   *
   * @throws {NacreError} `approval_not_found` when it is settled or was never there
   */
  answer(id: string, answer: Answer, options?: { readonly reason?: string }): OpenQuestion;
  /** Tells of those that wait, and from then on of each that is asked or settled. What it returns ends that. */
  watch(listener: (event: QuestionEvent) => void): () => void;
  /** The rules that lasting answers stored, of every scope. */
  rules(): readonly LearnedRule[];
  /** @throws {NacreError} `approval_not_found` */
  forget(ruleId: string): LearnedRule;
}

export interface ApprovalsOptions {
  readonly stateDirectory: string;
  /**
   * Only questions of this session.
   *
   * @default null
   */
  readonly session?: string | null;
}

/** Opens the questions of a state directory, also those of other programs. */
export function openApprovals({ stateDirectory, session = null }: ApprovalsOptions): Approvals {
  const files = new QuestionStore(stateDirectory);
  const learned = new LearnedRules(stateDirectory);
  const isOurs = (question: OpenQuestion): boolean => session === null || question.session === session;
  const list = (): readonly OpenQuestion[] => files.list().filter(isOurs);
  return {
    list,
    answer: (id, answer, { reason } = {}) => {
      const question = files.find(id);
      if (!isOurs(question)) throw new NacreError('approval_not_found', { id });
      // Before the command can run: a second one may already wait for the same.
      learned.add(question, answer);
      const reply = reason === undefined ? { answer } : { answer, reason };
      if (files.settle(question.id, reply) !== reply) throw new NacreError('approval_not_found', { id });
      return question;
    },
    watch: (listener) => watchQuestions({ directory: files.directory, list, listener }),
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
  const look = (): void => {
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
  look();
  return watchDirectory(directory, look);
}
