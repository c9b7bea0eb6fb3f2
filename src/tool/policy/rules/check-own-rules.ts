import { NacreError } from '../../../errors.ts';
import * as shape from '../rule-shape.ts';
import { problemOfShape, type RuleShape } from '../rule-shape.ts';
import type { PolicyRule } from './own-rule.ts';

const SHAPE: RuleShape<PolicyRule> = {
  id: shape.filledText,
  commands: shape.names,
  message: shape.filledText,
  verdict: shape.oneOf('deny', 'ask', 'warn'),
  instead: shape.text,
  check: shape.code,
  examples: shape.examples,
};

const NEEDED = ['id', 'commands', 'message', 'check', 'examples'] as const;

/** Says what is wrong with the form of rules before anything is made of them. */
export function checkOwnRules(rules: readonly PolicyRule[], taken: readonly string[]): void {
  for (const [index, rule] of rules.entries()) {
    const name = typeof rule?.id === 'string' && rule.id !== '' ? rule.id : `policy rule ${index + 1}`;
    const problem = problemOf(rule, taken);
    if (problem !== null) throw new NacreError('rule_invalid', { rule: name, problem });
  }
}

function problemOf(rule: PolicyRule, taken: readonly string[]): string | null {
  const problem = problemOfShape(rule, SHAPE);
  if (problem !== null) return problem;
  const missing = NEEDED.find((key) => rule[key] === undefined);
  if (missing !== undefined) return `${missing} is missing`;
  if (taken.includes(rule.id)) return 'a check that comes with the policy has this name';
  return (rule.examples.match?.length ?? 0) === 0 ? 'it needs an example that it matches' : null;
}
