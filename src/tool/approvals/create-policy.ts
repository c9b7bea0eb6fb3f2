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

/** Refuses rules that fail their own examples. */
function checkRuleExamples(rules: readonly CompiledRule[], { limits }: Pick<ResolvedPolicy, 'limits'>): void {
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

/** Refuses approval rules that fail their own examples, which are optional. */
function checkApprovalExamples(rules: readonly CompiledApprovalRule[]): void {
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

/** Checks commands without running them. */
export interface CommandPolicy {
  /** Decides whether a command may run. */
  judge(command: string, context?: PolicyContext): PolicyVerdict;
  /** Applies only the interceptor to each form of a command until one matches. */
  intercept(commands: readonly string[], context: PolicyContext): PolicyVerdict;
  /** Explains how a command is parsed and what each rule finds. */
  explain(command: string, context?: PolicyContext): Explanation;
}

const BUILT_IN_RULES: readonly CompiledRule[] = [
  blindGitAddRule,
  forcePushRule,
  dangerousRmRule,
  systemDirectoryRmRule,
];

/**
 * Creates a policy from its options.
 *
 * @throws {NacreError} `rule_invalid`
 */
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
  // Compiled even when disabled, so that an invalid rule is reported when it is loaded.
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
 * Checks the rules of a policy as `createBash` does.
 *
 * @throws {NacreError} `rule_invalid`
 */
export function checkPolicy(policy: BashPolicyOptions): void {
  createPolicy(policy);
}
