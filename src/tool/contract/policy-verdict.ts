import type { SourceSpan } from '../syntax/parse-script.ts';

/** A command that another tool could carry out. */
export interface Suggestion {
  readonly tool: string;
  /** Source text of the simple command, without leading assignments. */
  readonly command: string;
  /** Words of the command; `null` for a word that is known only at run time. */
  readonly words: readonly (string | null)[];
  /** Directory from the call or its leading `cd`; `null` for the session's directory. */
  readonly cwd: string | null;
  readonly message: string;
}

/** Decision about a command. */
export type Decision = 'allow' | 'ask' | 'deny';

/** One match of a rule in a command. */
export interface Finding {
  /** Identifier of the rule. */
  readonly rule: string;
  /** `warn` adds a note and does not stop the command. */
  readonly verdict: 'deny' | 'ask' | 'warn';
  /** First line of the message for the model. */
  readonly message: string;
  /** The simple command as shell text. */
  readonly found: string;
  readonly because: string;
  /** Wrappers around the command, outermost first: `sudo`, `bash -c`. */
  readonly via: readonly string[];
  readonly span: SourceSpan;
  readonly instead?: string;
  /** Name of the tool to use instead. */
  readonly suggestedTool?: string;
  /** The command for that tool, when the call consists of nothing else. */
  readonly suggestion?: Omit<Suggestion, 'cwd'>;
}

/** Decision of the policy about a command, with its reasons. */
export interface PolicyVerdict {
  readonly verdict: Decision;
  readonly findings: readonly Finding[];
  /** Message for the model; empty when there is none. */
  readonly message: string;
  readonly suggestedTool?: string;
  /** Question for a person when the verdict is `ask`. */
  readonly question?: ApprovalQuestion;
  readonly notes: readonly string[];
}

/** Content of an approval request. */
export interface ApprovalQuestion {
  /** The simple commands that no rule allows. */
  readonly parts: readonly string[];
  /** Positions of the parts in the command. */
  readonly spans: readonly SourceSpan[];
  readonly reason: string;
  /** Rules that a permanent answer stores; empty when the words do not determine what runs. */
  readonly always: readonly Always[];
}

/** A rule for a simple command with exactly these words. */
export interface Always {
  readonly prefix: readonly string[];
  readonly exact: true;
  /** The words as shell text, shown for confirmation. */
  readonly text: string;
}

const DECISIONS_BY_STRICTNESS: readonly Decision[] = ['allow', 'ask', 'deny'];

/** Returns the strictest of several decisions. */
export function strictestDecision(decisions: readonly Decision[]): Decision {
  return (
    DECISIONS_BY_STRICTNESS[
      Math.max(0, ...decisions.map((decision) => DECISIONS_BY_STRICTNESS.indexOf(decision)))
    ] ?? 'deny'
  );
}

/** Renders the message for a model: the rule's text, then the match and its position. */
export function renderFinding({ message, found, because, via, span, instead }: Finding): string {
  const lines = [message, `  found: ${found}${because === '' ? '' : `   (${because})`}`];
  if (via.length > 0) lines.push(`  inside: ${via.join(' > ')}`);
  lines.push(`  at: characters ${span.start}-${span.end}`);
  if (instead !== undefined) lines.push(`  instead: ${instead}`);
  return lines.join('\n');
}

/** Scope of a stored rule. */
export type Scope = 'session' | 'project' | 'everywhere';

const ANSWERS = ['once', 'always', 'project', 'everywhere', 'no'] as const;

/**
 * Answer to an approval request: `always` holds for the session, `project` and `everywhere` for wider scopes.
 */
export type Answer = (typeof ANSWERS)[number];

export function isAnswer(value: unknown): value is Answer {
  return ANSWERS.some((answer) => answer === value);
}

/** Scope of the rules that an answer stores; `null` for an answer that stores none. */
export function scopeOf(answer: Answer): Scope | null {
  if (answer === 'always') return 'session';
  return answer === 'project' || answer === 'everywhere' ? answer : null;
}

/** An answer with an optional reason. */
export interface Reply {
  readonly answer: Answer;
  /** Text for the model, such as what to do instead. */
  readonly reason?: string;
}

/** A command that needs approval, with known secrets masked. */
export interface Asking {
  readonly command: string;
  /** Absolute path. */
  readonly cwd: string;
  readonly session: string;
  /** Root of the repository of `cwd`, or `cwd` itself; scope of the answer `project`. */
  readonly project: string;
  /** The simple commands that no rule allows. */
  readonly parts: readonly string[];
  /** Positions of the parts in the command, in UTF-16 units. */
  readonly spans: readonly SourceSpan[];
  /** Reason for the request. */
  readonly reason: string;
  /** Rules that a permanent answer stores; empty when only `once` and `no` are possible. */
  readonly always: readonly Always[];
}

/** A pending approval. */
export interface OpenQuestion extends Asking {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** Time after which the request counts as refused. */
  readonly expiresAt: number;
}

/**
 * Answers approval requests. `undefined` leaves the answer to other interfaces. The signal aborts when the
 * request is settled elsewhere. A function that throws refuses the command.
 */
export type Approver = (
  question: OpenQuestion,
  signal: AbortSignal,
) => Answer | Reply | undefined | Promise<Answer | Reply | undefined>;

/** Reports a new approval request, or one that was answered, expired or withdrawn. */
export interface QuestionEvent {
  readonly kind: 'asked' | 'settled';
  readonly question: OpenQuestion;
}
