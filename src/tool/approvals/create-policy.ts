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

const EXAMPLE_DIRECTORIES: HostDirectories = { homeSubpaths: 'block', home: null, cwd: null };

interface RuleExamples {
  readonly match?: readonly string[];
  readonly noMatch?: readonly string[];
}

/** Refuses a rule that fails its own examples. */
function checkExamples(rule: string, examples: RuleExamples, matches: (command: string) => boolean): void {
  const missed = examples.match?.find((example) => !matches(example));
  if (missed !== undefined) throw invalidRule(rule, `it does not match its example: ${missed}`);
  const wrong = examples.noMatch?.find(matches);
  if (wrong !== undefined) throw invalidRule(rule, `it matches its counter-example: ${wrong}`);
}

function invalidRule(rule: string, problem: string): NacreError {
  return new NacreError('rule_invalid', { rule, problem });
}

function checkRuleExamples(rules: readonly CompiledRule[], limits: PolicyLimits): void {
  const ids = rules.map(({ id }) => id);
  const directories = EXAMPLE_DIRECTORIES;
  for (const rule of rules) {
    const options = { rules: [rule], directories, limits, parts: 'judged' } as const;
    checkExamples(rule.id, rule.examples, (command) => examineCommand(command, options).findings.length > 0);
    if (ids.indexOf(rule.id) !== ids.lastIndexOf(rule.id))
      throw invalidRule(rule.id, 'another rule has the same id');
  }
}

function matchesCommand(rule: CompiledApprovalRule, command: string): boolean {
  const directories = EXAMPLE_DIRECTORIES;
  const options = { rules: [], directories, limits: DEFAULT_POLICY_LIMITS, parts: 'all' } as const;
  return examineCommand(command, options).parts.some((part) =>
    rule.rule.action === 'allow' ? isAllowedByRule(rule, part) : matchesRule(rule, part, command),
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
  const customRules = (options.rules ?? []).map(compileCustomRule);
  const settings = resolvePolicySettings(options, customRules);
  checkRuleExamples(customRules, settings.limits);
  for (const rule of settings.approvals)
    checkExamples(rule.name, rule.rule.examples ?? {}, (command) => matchesCommand(rule, command));
  return {
    judge: (command, context = {}) => judgeCommand(command, { settings, context }),
    intercept: (commands, context) => interceptCommand(commands, { settings, context }),
    explain: (command, context = {}) => explainCommand(command, { settings, context }),
  };
}

function resolvePolicySettings(
  options: CommandPolicyOptions,
  customRules: readonly CompiledRule[],
): ResolvedPolicy {
  const { checks = {}, interceptor = {}, approvals = {} } = options;
  const chosen: Readonly<Record<string, boolean>> = { ...DEFAULT_POLICY_CHECKS, ...checks };
  // Compiled even when disabled, so that an invalid rule is reported when it is loaded.
  const interceptorRules = compileInterceptorRules(interceptor.rules ?? DEFAULT_INTERCEPTOR_RULES);
  const rules = [...BUILT_IN_RULES.filter(({ id }) => chosen[id]), ...customRules];
  return {
    rules,
    prefilter: createPrefilter(customRules.flatMap(({ commands }) => commands)),
    homeSubpaths: options.homeSubpaths ?? 'block',
    unreadable: options.unreadable ?? 'refuse',
    limits: { ...DEFAULT_POLICY_LIMITS, ...options.limits },
    checkSyntax: options.checkSyntax ?? null,
    interceptor: interceptor.enabled ? { rules: interceptorRules, mode: interceptor.mode ?? 'block' } : null,
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
