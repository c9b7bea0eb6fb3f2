import type { Mask } from '../../engine/output/mask.ts';
import type { Approver } from '../policy/asking/question.ts';
import type { Explanation } from '../policy/judge/explain.ts';

/** Says whether a command may run. Both ways refuse by throwing `blocked_by_policy`, and give notes otherwise. */
export interface Judge {
  /** Sends a command to a better tool: the text as it came, and without its leading `cd`. */
  intercept(texts: readonly string[], cwd: string | null): Promise<Intercepted>;
  /** The very text that bash will get, and where. */
  check(text: string, where: JudgedPlace): Promise<readonly string[]>;
  /** A person's word for something that no rule can allow. */
  askFor(text: string, where: Omit<JudgedPlace, 'meaning'> & { readonly message: string }): Promise<void>;
  /** How a text is read, and what the rules say of it. */
  explain(text: string, where: Pick<JudgedPlace, 'cwd' | 'meaning'>): Promise<Explanation>;
  /** Withdraws the questions that still wait. */
  close(): void;
}

/** What the interceptor says of a command that goes on: notes, or what the tool said that took the call over. */
export interface Intercepted {
  readonly notes: readonly string[];
  readonly takenOver: { readonly tool: string; readonly text: string } | null;
}

export interface JudgedPlace {
  /** Absolute. */
  readonly cwd: string;
  /** What names in the text mean in the session's shell, as shell text. */
  readonly meaning: string;
  /** Ends a wait for a person's answer. */
  readonly signal?: AbortSignal | undefined;
  /** In place of the instance's own. */
  readonly approve?: Approver | undefined;
  /** Takes secrets out of what a person is shown. */
  readonly mask?: Mask;
}
