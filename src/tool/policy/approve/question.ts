import type { Always } from '../judge/verdict.ts';

/** What a person says to a question. */
export type Answer = 'once' | 'always' | 'no';

/** A command that needs a person's word. */
export interface Asking {
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  readonly session: string;
  /** The simple commands that no rule allows. */
  readonly parts: readonly string[];
  readonly reason: string;
  /** What "always" would allow from then on; empty where it would allow no more than "once". */
  readonly always: readonly Always[];
}

/** Answers for a person. Whoever gives up, for whatever reason, says no. */
export type Approver = (asking: Asking, signal?: AbortSignal) => Answer | Promise<Answer>;

/** A question that waits for its answer. */
export interface OpenQuestion extends Asking {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  readonly expiresAt: number;
}
