import { NacreError } from '../../../errors.ts';
import type { Invocation, PolicyRule } from '../../contract/policy-options.ts';
import { parseProgramOptions } from '../unwrap/program-options.ts';
import { type CommandPart, renderCommandPart } from '../values/command-evaluation.ts';
import { renderField, toLiteral } from '../values/field.ts';
import { fromFieldPath } from '../values/field-path.ts';
import type { CompiledRule } from './policy-rule.ts';
import * as shape from './rule-shape.ts';
import { findShapeProblem, type RuleShape } from './rule-shape.ts';

/** Returns the rule with its type checked. `createBash` reports problems when it loads the rule. */
export function defineRule(rule: PolicyRule): PolicyRule {
  return rule;
}

/** Converts a custom rule to the internal form. */
export function compileCustomRule(rule: PolicyRule): CompiledRule {
  const { check, examples } = rule;
  return {
    ...rule,
    check: (part) => check(toInvocation(part)) ?? null,
    examples: { match: examples.match, noMatch: examples.noMatch ?? [] },
  };
}

function toInvocation(part: CommandPart): Invocation {
  const { name, argv, via, assigned, piped } = part;
  const words = argv.slice(1);
  return {
    name,
    words: words.map((word) => toLiteral(word)),
    text: renderCommandPart(part),
    via,
    cwd: part.cwd.map((path) => renderField(fromFieldPath(path))),
    assigned,
    writes: part.writes.map(({ target }) => toLiteral(target) ?? renderField(target)),
    piped,
    options: (spec = { permute: true }) => {
      const { options, operands } = parseProgramOptions(words, spec);
      const find = (names: readonly string[]) => options.findLast((option) => names.includes(option.name));
      return {
        has: (...names) => find(names) !== undefined,
        value: (...names) => {
          const found = find(names);
          return found?.value === undefined ? undefined : toLiteral(found.value);
        },
        operands: operands.map((word) => toLiteral(word)),
      };
    },
  };
}

const CUSTOM_RULE_SHAPE: RuleShape<PolicyRule> = {
  id: shape.filledTextCheck,
  commands: shape.namesCheck,
  message: shape.filledTextCheck,
  verdict: shape.oneOfCheck('deny', 'ask', 'warn'),
  instead: shape.textCheck,
  check: shape.functionCheck,
  examples: shape.examplesCheck,
};

const REQUIRED_FIELDS = ['id', 'commands', 'message', 'check', 'examples'] as const;

/**
 * Checks the shape of custom rules.
 *
 * @throws {NacreError} `rule_invalid`
 */
export function checkCustomRules(rules: readonly PolicyRule[], taken: readonly string[]): void {
  for (const [index, rule] of rules.entries()) {
    const name = typeof rule?.id === 'string' && rule.id !== '' ? rule.id : `policy rule ${index + 1}`;
    const problem = findRuleProblem(rule, taken);
    if (problem !== null) throw new NacreError('rule_invalid', { rule: name, problem });
  }
}

function findRuleProblem(rule: PolicyRule, taken: readonly string[]): string | null {
  const problem = findShapeProblem(rule, CUSTOM_RULE_SHAPE);
  if (problem !== null) return problem;
  const missing = REQUIRED_FIELDS.find((key) => rule[key] === undefined);
  if (missing !== undefined) return `${missing} is missing`;
  if (taken.includes(rule.id)) return 'a check that comes with the policy has this name';
  return (rule.examples.match?.length ?? 0) === 0 ? 'it needs an example that it matches' : null;
}
