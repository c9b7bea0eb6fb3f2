import type { Part } from '../state/machine.ts';
import type { Span } from '../state/state.ts';
import { renderField } from '../words/atom.ts';
import type { Looked } from './judge.ts';
import { look, toVerdict } from './judge.ts';
import { renderPart } from './render-part.ts';
import type { Judging } from './settings.ts';
import type { Decision, Finding } from './verdict.ts';

/** One simple command that would run. */
export interface ExplainedPart {
  readonly text: string;
  /** `null` when nobody knows. */
  readonly name: string | null;
  readonly argv: readonly string[];
  readonly via: readonly string[];
  readonly span: Span;
  /** Which of the parts runs this one, counted from 0. */
  readonly outer: number | null;
}

/** A rule that has something to say, and about what. */
export interface ExplainedRule {
  readonly rule: string;
  readonly verdict: Finding['verdict'] | 'allow';
  readonly part: string;
  readonly because: string;
  readonly span: Span;
}

/** How a command was read and judged. */
export interface Explanation {
  readonly command: string;
  readonly verdict: Decision;
  readonly message: string;
  readonly parts: readonly ExplainedPart[];
  readonly rules: readonly ExplainedRule[];
  readonly findings: readonly Finding[];
  /** Where the findings stand, in UTF-16 units. */
  readonly spans: readonly Span[];
  readonly parse: 'ok' | 'failed';
  readonly notes: readonly string[];
}

/** The parts of a command, the rules that match, the verdict and why; nothing is run. */
export function explain(command: string, judging: Judging): Explanation {
  const looked = look(command, judging, 'all');
  const { verdict, message, findings, notes } = toVerdict(command, looked);
  return {
    command,
    verdict,
    message,
    parts: distinctParts(looked.examination.parts),
    rules: rulesOf(looked),
    findings,
    spans: findings.map(({ span }) => span),
    parse: looked.examination.unreadables.length === 0 ? 'ok' : 'failed',
    notes,
  };
}

/** A loop may be gone through more than once, but its command is one. */
function distinctParts(parts: readonly Part[]): readonly ExplainedPart[] {
  const indexes = new Map<string, number>();
  const explained: ExplainedPart[] = [];
  const indexOf = (part: Part): number => {
    const { name, argv, via, span } = part;
    const text = renderPart(part);
    const key = `${span.start} ${via.join('>')} ${text}`;
    const known = indexes.get(key);
    if (known !== undefined) return known;
    const outer = part.outer === null ? null : indexOf(part.outer);
    const index = explained.push({ text, name, argv: argv.map(renderField), via, span, outer }) - 1;
    indexes.set(key, index);
    return index;
  };
  for (const part of parts) indexOf(part);
  return explained;
}

function rulesOf({ findings, approval }: Looked): readonly ExplainedRule[] {
  const fired = findings.map(({ rule, verdict, found, because, span }) => ({
    rule,
    verdict,
    part: found,
    because,
    span,
  }));
  const allowed = approval.matched
    .filter(({ rule }) => !fired.some((other) => other.rule === rule))
    .map(({ rule, part }) => ({
      rule,
      verdict: 'allow' as const,
      part: renderPart(part),
      because: 'allowed',
      span: part.span,
    }));
  return [...fired, ...allowed];
}
