import type { Always } from '../judge/verdict.ts';
import type { Span } from '../state/state.ts';

/** Where a stored rule holds. */
export type Scope = 'session' | 'project' | 'everywhere';

const ANSWERS = ['once', 'always', 'project', 'everywhere', 'no'] as const;

/** A person's answer: `always` holds for the session, `project` and `everywhere` further. */
export type Answer = (typeof ANSWERS)[number];

export function isAnswer(value: unknown): value is Answer {
  return ANSWERS.some((answer) => answer === value);
}

/** Where the rules of a lasting answer hold; `null` for an answer that stores nothing. */
export function scopeOf(answer: Answer): Scope | null {
  if (answer === 'always') return 'session';
  return answer === 'project' || answer === 'everywhere' ? answer : null;
}

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
  /** The repository that `cwd` belongs to, or `cwd` itself: where the answer `project` holds. */
  readonly project: string;
  /** The simple commands that no rule allows. */
  readonly parts: readonly string[];
  /** Where each of them stands in the command, in UTF-16 units. */
  readonly spans: readonly Span[];
  /** Why it is asked. */
  readonly reason: string;
  /** The rules that a lasting answer stores; empty where only `once` and `no` are possible. */
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
