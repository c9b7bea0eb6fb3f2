import { NacreError } from '../../../errors.ts';
import { coversPart, matchesPart } from '../approve/match.ts';
import type { CompiledApproval } from '../approve/rule.ts';
import type { Surroundings } from '../rules/danger.ts';
import type { Rule } from '../rules/rule.ts';
import type { Limits } from '../state/budget.ts';
import { LIMITS } from '../state/budget.ts';
import { examine } from './examine.ts';
import type { Settings } from './settings.ts';

const SURROUNDINGS: Surroundings = { homeSubpaths: 'block', home: null, cwd: null };

/** A rule that fails its own examples is refused. */
export function checkRuleExamples(rules: readonly Rule[], { limits }: Pick<Settings, 'limits'>): void {
  const ids = rules.map(({ id }) => id);
  for (const rule of rules) {
    const problem =
      problemOf(rule, limits) ??
      (ids.indexOf(rule.id) === ids.lastIndexOf(rule.id) ? null : 'there are two rules of this name');
    if (problem !== null) throw new NacreError('rule_invalid', { rule: rule.id, problem });
  }
}

function problemOf(rule: Rule, limits: Limits): string | null {
  if (rule.commands.length === 0) return 'it is about no command';
  const fires = (command: string): boolean =>
    examine(command, { rules: [rule], surroundings: SURROUNDINGS, limits, parts: 'judged' }).findings.length >
    0;
  const missed = rule.examples.match.find((example) => !fires(example));
  if (missed !== undefined) return `it does not match its example: ${missed}`;
  const wrong = rule.examples.noMatch.find(fires);
  return wrong === undefined ? null : `it matches its counter-example: ${wrong}`;
}

/** The same for approval rules, whose examples may be left out. */
export function checkApprovalExamples(rules: readonly CompiledApproval[]): void {
  for (const compiled of rules) {
    const { match = [], noMatch = [] } = compiled.rule.examples ?? {};
    const missed = match.find((example) => !touches(compiled, example));
    const wrong = noMatch.find((example) => touches(compiled, example));
    if (missed !== undefined) throw invalid(compiled, `it does not match its example: ${missed}`);
    if (wrong !== undefined) throw invalid(compiled, `it matches its counter-example: ${wrong}`);
  }
}

function invalid({ name }: CompiledApproval, problem: string): NacreError {
  return new NacreError('rule_invalid', { rule: name, problem });
}

function touches(rule: CompiledApproval, command: string): boolean {
  const { parts } = examine(command, { rules: [], surroundings: SURROUNDINGS, limits: LIMITS, parts: 'all' });
  const { action } = rule.rule;
  return parts.some((part) =>
    action === 'allow' ? coversPart(rule, part) : matchesPart(rule, part, command),
  );
}
