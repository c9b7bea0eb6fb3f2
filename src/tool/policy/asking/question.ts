import type { Always } from '../judge/verdict.ts';
import type { Span } from '../state/state.ts';

/** What a person says to a question. */
export type Answer = 'once' | 'always' | 'no';

/** An answer, and for a no what the model is to do instead. */
export interface Reply {
  readonly answer: Answer;
  /** The model reads it. */
  readonly reason?: string;
}

/** A command that needs a person's word. Known secrets are masked in it. */
export interface Asking {
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  readonly session: string;
  /** The simple commands that no rule allows. */
  readonly parts: readonly string[];
  /** Where each of them stands in the command, in UTF-16 units. */
  readonly spans: readonly Span[];
  /** Why it is asked. */
  readonly reason: string;
  /** What "always" would allow from then on; empty where it would allow no more than "once". */
  readonly always: readonly Always[];
}

/** A question that waits for its answer. */
export interface OpenQuestion extends Asking {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** No answer until then is a no. */
  readonly expiresAt: number;
}

/**
 * Answers for a person. `undefined`: whoever else may answer it is waited for. The signal tells that the question is settled,
 * whoever did it. Whoever throws says no.
 */
export type Approver = (
  question: OpenQuestion,
  signal: AbortSignal,
) => Answer | Reply | undefined | Promise<Answer | Reply | undefined>;

/** A question was asked, or is open no more: answered, expired or withdrawn. */
export interface QuestionEvent {
  readonly kind: 'asked' | 'settled';
  readonly question: OpenQuestion;
}
