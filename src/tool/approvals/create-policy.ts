import { NacreError } from '../../errors.ts';
import {
  type BashPolicyOptions,
  type CommandPolicyOptions,
  DEFAULT_POLICY_CHECKS,
  DEFAULT_POLICY_LIMITS,
  type PolicyLimits,
} from '../contract/policy-options.ts';
import type { PolicyVerdict } from '../contract/policy-verdict.ts';
import { examineCommand } from '../policy/examine-command.ts';
import { createPrefilter } from '../policy/prefilter.ts';
import { checkCustomRules, compileCustomRule } from '../policy/rules/custom-rule.ts';
import type { HostDirectories } from '../policy/rules/deletion-danger.ts';
import { blindGitAddRule, forcePushRule } from '../policy/rules/git-rules.ts';
import type { CompiledRule } from '../policy/rules/policy-rule.ts';
import { dangerousRmRule, systemDirectoryRmRule } from '../policy/rules/rm-rules.ts';
import {
  type CompiledApprovalRule,
  compileApprovalRules,
  isAllowedByRule,
  matchesRule,
} from './approval-rules.ts';
import { interceptCommand, judgeCommand, type PolicyContext, type ResolvedPolicy } from './command-policy.ts';
import { type Explanation, explainCommand } from './explain-command.ts';
import { compileInterceptorRules, DEFAULT_INTERCEPTOR_RULES } from './interceptor.ts';

const EXAMPLE_SURROUNDINGS: HostDirectories = { homeSubpaths: 'block', home: null, cwd: null };

/** A rule that fails its own examples is refused. */
export function checkRuleExamples(
  rules: readonly CompiledRule[],
  { limits }: Pick<ResolvedPolicy, 'limits'>,
): void {
  const ids = rules.map(({ id }) => id);
  for (const rule of rules) {
    const problem =
      findExampleProblem(rule, limits) ??
      (ids.indexOf(rule.id) === ids.lastIndexOf(rule.id) ? null : 'there are two rules of this name');
    if (problem !== null) throw new NacreError('rule_invalid', { rule: rule.id, problem });
  }
}

function findExampleProblem(rule: CompiledRule, limits: PolicyLimits): string | null {
  if (rule.commands.length === 0) return 'it is about no command';
  const fires = (command: string): boolean =>
    examineCommand(command, { rules: [rule], surroundings: EXAMPLE_SURROUNDINGS, limits, parts: 'judged' })
      .findings.length > 0;
  const missed = rule.examples.match.find((example) => !fires(example));
  if (missed !== undefined) return `it does not match its example: ${missed}`;
  const wrong = rule.examples.noMatch.find(fires);
  return wrong === undefined ? null : `it matches its counter-example: ${wrong}`;
}

/** The same for approval rules, whose examples may be left out. */
export function checkApprovalExamples(rules: readonly CompiledApprovalRule[]): void {
  for (const compiled of rules) {
    const { match = [], noMatch = [] } = compiled.rule.examples ?? {};
    const missed = match.find((example) => !matchesCommand(compiled, example));
    const wrong = noMatch.find((example) => matchesCommand(compiled, example));
    if (missed !== undefined) throw invalidRule(compiled, `it does not match its example: ${missed}`);
    if (wrong !== undefined) throw invalidRule(compiled, `it matches its counter-example: ${wrong}`);
  }
}

function invalidRule({ name }: CompiledApprovalRule, problem: string): NacreError {
  return new NacreError('rule_invalid', { rule: name, problem });
}

function matchesCommand(rule: CompiledApprovalRule, command: string): boolean {
  const { parts } = examineCommand(command, {
    rules: [],
    surroundings: EXAMPLE_SURROUNDINGS,
    limits: DEFAULT_POLICY_LIMITS,
    parts: 'all',
  });
  const { action } = rule.rule;
  return parts.some((part) =>
    action === 'allow' ? isAllowedByRule(rule, part) : matchesRule(rule, part, command),
  );
}

/** Judges commands, and runs none. */
export interface CommandPolicy {
  /** May this run? */
  judge(command: string, context?: PolicyContext): PolicyVerdict;
  /** The interceptor alone, on each form of a command until one is caught. */
  intercept(commands: readonly string[], context: PolicyContext): PolicyVerdict;
  /** How a command is read, and what each rule says of it. */
  explain(command: string, context?: PolicyContext): Explanation;
}

const BUILT_IN_RULES: readonly CompiledRule[] = [
  blindGitAddRule,
  forcePushRule,
  dangerousRmRule,
  systemDirectoryRmRule,
];

/** Makes a policy; everything that is wrong with its rules is said now. */
export function createPolicy(options: CommandPolicyOptions = {}): CommandPolicy {
  checkCustomRules(
    options.rules ?? [],
    BUILT_IN_RULES.map(({ id }) => id),
  );
  const own = (options.rules ?? []).map(compileCustomRule);
  const settings = resolvePolicySettings(options, own);
  checkRuleExamples(own, settings);
  checkApprovalExamples(settings.approvals);
  return {
    judge: (command, context = {}) => judgeCommand(command, { settings, context }),
    intercept: (commands, context) => interceptCommand(commands, { settings, context }),
    explain: (command, context = {}) => explainCommand(command, { settings, context }),
  };
}

function resolvePolicySettings(options: CommandPolicyOptions, own: readonly CompiledRule[]): ResolvedPolicy {
  const { checks = {}, interceptor = {}, approvals = {} } = options;
  const chosen: Readonly<Record<string, boolean>> = { ...DEFAULT_POLICY_CHECKS, ...checks };
  // Also where it is off: a rule that cannot work is told when it is loaded, not when it is turned on.
  const intercepting = compileInterceptorRules(interceptor.rules ?? DEFAULT_INTERCEPTOR_RULES);
  const rules = [...BUILT_IN_RULES.filter(({ id }) => chosen[id]), ...own];
  return {
    rules,
    prefilter: createPrefilter(own.flatMap(({ commands }) => commands)),
    homeSubpaths: options.homeSubpaths ?? 'block',
    unreadable: options.unreadable ?? 'refuse',
    limits: { ...DEFAULT_POLICY_LIMITS, ...options.limits },
    bashAccepts: options.bashAccepts ?? null,
    interceptor: interceptor.enabled ? { rules: intercepting, mode: interceptor.mode ?? 'block' } : null,
    approvals: compileApprovalRules(approvals.rules ?? []),
    otherwise: approvals.otherwise ?? 'allow',
  };
}

/**
 * Says what is wrong with the rules of a policy, as `createBash` would.
 *
 * @throws {NacreError} `rule_invalid`
 */
export function checkPolicy(policy: BashPolicyOptions): void {
  createPolicy(policy);
}
