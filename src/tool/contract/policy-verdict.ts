import type { SourceSpan } from '../syntax/parse-script.ts';

/** A call that another tool could take over. */
export interface Suggestion {
  readonly tool: string;
  /** The simple command as it stands, without leading assignments. */
  readonly command: string;
  /** Its words; `null` for one that is known only when it runs. */
  readonly words: readonly (string | null)[];
  /** Where it would run, as the call or its leading `cd` said; `null`: in the session's directory. */
  readonly cwd: string | null;
  readonly message: string;
}

/** What may happen to a command. */
export type Decision = 'allow' | 'ask' | 'deny';

/** One thing that was found in a command. */
export interface Finding {
  /** The id of the rule that found it. */
  readonly rule: string;
  /** `warn` is told and stops nothing. */
  readonly verdict: 'deny' | 'ask' | 'warn';
  /** The first line of what a model is told. */
  readonly message: string;
  /** The simple command, as a person would type it. */
  readonly found: string;
  readonly because: string;
  /** From the outside in: `sudo`, `bash -c`. */
  readonly via: readonly string[];
  readonly span: SourceSpan;
  readonly instead?: string;
  /** The tool that does this better. */
  readonly suggestedTool?: string;
  /** What that tool would have to do, where the command is nothing else. */
  readonly suggestion?: Omit<Suggestion, 'cwd'>;
}

/** The answer to "may this run?". */
export interface PolicyVerdict {
  readonly verdict: Decision;
  readonly findings: readonly Finding[];
  /** What a model is told; empty when there is nothing to say. */
  readonly message: string;
  readonly suggestedTool?: string;
  /** With `ask`: what a person is asked. */
  readonly question?: ApprovalQuestion;
  readonly notes: readonly string[];
}

/** What a person is asked about a command. */
export interface ApprovalQuestion {
  /** The simple commands that no rule allows. */
  readonly parts: readonly string[];
  /** Where each of them stands. */
  readonly spans: readonly SourceSpan[];
  readonly reason: string;
  /** The rules that a lasting answer stores; empty where the words do not say everything that runs. */
  readonly always: readonly Always[];
}

/** A simple command of exactly these words. */
export interface Always {
  readonly prefix: readonly string[];
  readonly exact: true;
  /** The words as shell text, for a person to confirm. */
  readonly text: string;
}

const DECISIONS_BY_STRICTNESS: readonly Decision[] = ['allow', 'ask', 'deny'];

/** The strictest of several decisions. */
export function strictestDecision(decisions: readonly Decision[]): Decision {
  return (
    DECISIONS_BY_STRICTNESS[
      Math.max(0, ...decisions.map((decision) => DECISIONS_BY_STRICTNESS.indexOf(decision)))
    ] ?? 'deny'
  );
}

/** The message for a model: the rule's own line, then what was found and where. */
export function renderFinding({ message, found, because, via, span, instead }: Finding): string {
  const lines = [message, `  found: ${found}${because === '' ? '' : `   (${because})`}`];
  if (via.length > 0) lines.push(`  inside: ${via.join(' > ')}`);
  lines.push(`  at: characters ${span.start}-${span.end}`);
  if (instead !== undefined) lines.push(`  instead: ${instead}`);
  return lines.join('\n');
}

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
  readonly spans: readonly SourceSpan[];
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
