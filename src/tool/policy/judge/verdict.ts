import type { Suggestion } from '../intercept/rule.ts';
import type { Span } from '../state/state.ts';

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
  readonly span: Span;
  readonly instead?: string;
  /** The tool that does this better. */
  readonly suggestedTool?: string;
  /** What that tool would have to do, where the command is nothing else. */
  readonly suggestion?: Omit<Suggestion, 'cwd'>;
}

/** The answer to "may this run?". */
export interface Verdict {
  readonly verdict: Decision;
  readonly findings: readonly Finding[];
  /** What a model is told; empty when there is nothing to say. */
  readonly message: string;
  readonly suggestedTool?: string;
  /** With `ask`: what a person is asked. */
  readonly question?: Question;
  readonly notes: readonly string[];
}

/** What a person is asked about a command. */
export interface Question {
  /** The simple commands that no rule allows. */
  readonly parts: readonly string[];
  /** Where each of them stands. */
  readonly spans: readonly Span[];
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

const ORDER: readonly Decision[] = ['allow', 'ask', 'deny'];

/** The strictest of several decisions. */
export function strictest(decisions: readonly Decision[]): Decision {
  return ORDER[Math.max(0, ...decisions.map((decision) => ORDER.indexOf(decision)))] ?? 'deny';
}

/** The message for a model: the rule's own line, then what was found and where. */
export function renderFinding({ message, found, because, via, span, instead }: Finding): string {
  const lines = [message, `  found: ${found}${because === '' ? '' : `   (${because})`}`];
  if (via.length > 0) lines.push(`  inside: ${via.join(' > ')}`);
  lines.push(`  at: characters ${span.start}-${span.end}`);
  if (instead !== undefined) lines.push(`  instead: ${instead}`);
  return lines.join('\n');
}
