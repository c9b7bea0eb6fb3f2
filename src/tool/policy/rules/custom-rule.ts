import { NacreError } from '../../../errors.ts';
import * as check from '../../../validator.ts';
import type { Invocation, PolicyRule } from '../../contract/policy-options.ts';
import { parseProgramOptions } from '../unwrap/program-options.ts';
import { type CommandPart, renderCommandPart } from '../values/command-evaluation.ts';
import { renderField, toLiteral } from '../values/field.ts';
import { fromFieldPath } from '../values/field-path.ts';
import type { CompiledRule } from './policy-rule.ts';
import { examples, filledText, names, type RuleShape } from './rule-shape.ts';

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
  id: filledText,
  commands: names,
  message: filledText,
  verdict: check.oneOf('deny', 'ask', 'warn'),
  instead: check.text,
  check: check.functionOf(),
  examples,
};

const REQUIRED_FIELDS = ['id', 'commands', 'message', 'check', 'examples'];

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
  const problem = check.findShapeProblem(rule, CUSTOM_RULE_SHAPE, REQUIRED_FIELDS);
  if (problem !== null) return problem;
  if (taken.includes(rule.id)) return 'a built-in check has this id';
  if (rule.commands.length === 0) return 'commands is empty';
  return (rule.examples.match?.length ?? 0) === 0 ? 'examples.match is empty' : null;
}
