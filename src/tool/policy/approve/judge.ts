import { renderPart } from '../judge/render-part.ts';
import type { Always, Decision, Finding, Question } from '../judge/verdict.ts';
import { strictest } from '../judge/verdict.ts';
import type { Part } from '../state/machine.ts';
import { alwaysRule } from './always.ts';
import { coversPart, isTransparent, matchesPart, reachesInside } from './match.ts';
import type { CompiledApproval } from './rule.ts';
import { hasSideEffects } from './side-effects.ts';

export interface Approving {
  readonly rules: readonly CompiledApproval[];
  /** Rules that lasting answers stored: they hold in the directory where a command starts. */
  readonly learned: readonly CompiledApproval[];
  /** What happens to a part that no rule is about. */
  readonly otherwise: Decision;
  /** Whether every part of the command could be read. */
  readonly complete: boolean;
}

export interface Approval {
  readonly verdict: Decision;
  readonly findings: readonly Finding[];
  readonly matched: readonly { readonly rule: string; readonly part: Part }[];
  readonly question?: Question;
}

interface Covering {
  readonly parts: readonly Part[];
  readonly approving: Approving;
}

/** Deny and ask fire on any part; allow only when every part is covered. */
export function approve(command: string, parts: readonly Part[], approving: Approving): Approval {
  const decided = parts.map((part) => ({ part, ...decide(part, command, approving) }));
  const findings = decided.flatMap(({ part, rule, decision }) =>
    rule !== undefined && (decision === 'deny' || decision === 'ask')
      ? [toFinding(rule, part, decision)]
      : [],
  );
  const covering = { parts, approving };
  const open = decided.filter(({ part, decision }) => decision === null && !isCovered(part, covering));
  const unknown = open.length > 0 || parts.length === 0 || !approving.complete;
  const effects = hasSideEffects(command);
  const found = findings.map(({ verdict }) => verdict as Decision);
  // A rule that asks shows the whole command, its redirections and assignments included.
  const isOpen = unknown || (effects && !found.includes('ask'));
  const verdict = strictest(isOpen ? [...found, approving.otherwise] : found);
  const matched = decided.flatMap(({ part, rule }) =>
    rule === undefined ? [] : [{ rule: rule.name, part }],
  );
  if (verdict !== 'ask') return { verdict, findings, matched };
  const byRule = decided.filter(({ decision }) => decision === 'ask');
  const asked = decided.filter((item) => byRule.includes(item) || open.includes(item));
  // A lasting answer to a rule's question stores nothing about the other parts of the command.
  const lasting = byRule.length > 0 ? byRule : open;
  const always = approving.complete ? toAlwaysRules(lasting.map(({ part }) => part)) : [];
  const question = toQuestion(
    asked.map(({ part }) => part),
    findings,
  );
  const reason = findings.length === 0 && open.length === 0 && effects ? EFFECTS : question.reason;
  return { verdict, findings, matched, question: { ...question, reason, always } };
}

const EFFECTS =
  'no rule allows what the command does besides: it writes a file, sets a variable or evaluates an expression';

interface Decided {
  readonly decision: Decision | null;
  readonly rule?: CompiledApproval;
}

function decide(part: Part, command: string, { rules, learned }: Approving): Decided {
  const first = rules.find((rule) =>
    rule.rule.action === 'allow' ? coversPart(rule, part) : matchesPart(rule, part, command),
  );
  if (first?.rule.action === 'deny') return { decision: 'deny', rule: first };
  const known = part.cwd.every(isStart) ? learned.find((rule) => coversPart(rule, part)) : undefined;
  const rule = known ?? first;
  return rule === undefined ? { decision: null } : { decision: rule.rule.action, rule };
}

/** A wrapper is covered by what it wraps, and what it wraps by a rule that names both. */
function isCovered(part: Part, { parts, approving }: Covering): boolean {
  const inner = parts.filter(({ outer }) => outer === part);
  if (inner.length > 0 && inner.every((each) => isTransparent(part, each))) return true;
  const { outer } = part;
  if (outer === null) return false;
  return [...approving.learned, ...approving.rules].some(
    (rule) => rule.rule.action === 'allow' && reachesInside(rule) && coversPart(rule, outer),
  );
}

function toFinding({ rule, name }: CompiledApproval, part: Part, decision: 'deny' | 'ask'): Finding {
  const what = rule.prefix === undefined ? `/${rule.pattern}/` : [rule.prefix].flat().join(' ');
  const told = decision === 'deny' ? 'is not allowed here' : 'needs an approval';
  return {
    rule: name,
    verdict: decision,
    message: `permission denied: ${what} ${told}${rule.reason === undefined ? '' : `: ${rule.reason}`}`,
    found: renderPart(part),
    because: `${name}: ${decision} ${what}`,
    via: part.via,
    span: part.span,
  };
}

function isStart({ base, up, names }: Part['cwd'][number]): boolean {
  return base === 'start' && up === 0 && names.length === 0;
}

function toQuestion(parts: readonly Part[], findings: readonly Finding[]): Omit<Question, 'always'> {
  return {
    parts: parts.map(renderPart),
    spans: parts.map(({ span }) => span),
    reason: findings[0]?.message ?? 'no rule allows this command',
  };
}

/** Empty when one of the parts has no exact rule: the others alone would not allow the same command again. */
function toAlwaysRules(parts: readonly Part[]): readonly Always[] {
  const rules = parts.map(alwaysRule).filter((rule) => rule !== null);
  if (rules.length < parts.length) return [];
  return [...new Map(rules.map((rule) => [JSON.stringify(rule.prefix), rule])).values()];
}
