import type { Decision, Finding } from '../contract/policy-verdict.ts';
import { type CommandPart, renderCommandPart } from '../policy/values/command-evaluation.ts';
import { renderField } from '../policy/values/field.ts';
import type { SourceSpan } from '../syntax/parse-script.ts';
import {
  assessCommand,
  type CommandAssessment,
  type PolicyInput,
  toPolicyVerdict,
} from './command-policy.ts';

/** One simple command that would run. */
export interface ExplainedPart {
  readonly text: string;
  /** `null` when it is unknown. */
  readonly name: string | null;
  readonly argv: readonly string[];
  readonly via: readonly string[];
  readonly span: SourceSpan;
  /** Index of the part that runs this one. */
  readonly outer: number | null;
}

/** A rule that matched, with the part it matched. */
export interface ExplainedRule {
  readonly rule: string;
  readonly verdict: Finding['verdict'] | 'allow';
  readonly part: string;
  readonly because: string;
  readonly span: SourceSpan;
}

/** How a command was parsed and checked. */
export interface Explanation {
  readonly command: string;
  readonly verdict: Decision;
  readonly message: string;
  readonly parts: readonly ExplainedPart[];
  readonly rules: readonly ExplainedRule[];
  readonly findings: readonly Finding[];
  /** Locations of the findings in UTF-16 code units. */
  readonly spans: readonly SourceSpan[];
  readonly parse: 'ok' | 'failed';
  readonly notes: readonly string[];
}

/** Explains a command: its parts, the rules that match, the verdict and the reasons. Nothing is run. */
export function explainCommand(command: string, input: PolicyInput): Explanation {
  const assessment = assessCommand(command, input, 'all');
  const { verdict, message, findings, notes } = toPolicyVerdict(command, assessment);
  return {
    command,
    verdict,
    message,
    parts: toExplainedParts(assessment.examination.parts),
    rules: toExplainedRules(assessment),
    findings,
    spans: findings.map(({ span }) => span),
    parse: assessment.examination.unreadables.length === 0 ? 'ok' : 'failed',
    notes,
  };
}

/** A command in a loop may be evaluated several times but is listed once. */
function toExplainedParts(parts: readonly CommandPart[]): readonly ExplainedPart[] {
  const indexes = new Map<string, number>();
  const explained: ExplainedPart[] = [];
  const indexOf = (part: CommandPart): number => {
    const { name, argv, via, span } = part;
    const text = renderCommandPart(part);
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

function toExplainedRules({ findings, approval }: CommandAssessment): readonly ExplainedRule[] {
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
      part: renderCommandPart(part),
      because: 'allowed',
      span: part.span,
    }));
  return [...fired, ...allowed];
}
