import type { Span } from '../state/state.ts';

/** A text that the parser could not read to its end. */
export interface Unreadable {
  /** What bash would get: the whole command, or a script inside it. */
  readonly text: string;
  readonly span: Span;
  readonly problem: string;
}
