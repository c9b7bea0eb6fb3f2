import { compileApprovals } from './approve/rule.ts';
import { DEFAULT_CHECKS } from './default-checks.ts';
import { compileInterceptor, DEFAULT_INTERCEPTOR_RULES } from './intercept/rule.ts';
import { checkApprovalExamples, checkRuleExamples } from './judge/examples.ts';
import type { Explanation } from './judge/explain.ts';
import { explain } from './judge/explain.ts';
import { interceptOnly, judge } from './judge/judge.ts';
import { createPrefilter } from './judge/prefilter.ts';
import type { JudgeContext, Settings } from './judge/settings.ts';
import type { Verdict } from './judge/verdict.ts';
import type { PolicyOptions } from './policy-options.ts';
import { blindGitAdd } from './rules/blind-git-add.ts';
import { checkOwnRules } from './rules/check-own-rules.ts';
import { dangerousRm } from './rules/dangerous-rm.ts';
import { forcePush } from './rules/force-push.ts';
import { toRule } from './rules/own-rule.ts';
import type { Rule } from './rules/rule.ts';
import { systemDirectories } from './rules/system-directories.ts';
import { LIMITS } from './state/budget.ts';

/** Judges commands, and runs none. */
export interface Policy {
  /** May this run? */
  judge(command: string, context?: JudgeContext): Verdict;
  /** The interceptor alone, on each form of a command until one is caught. */
  intercept(commands: readonly string[], context: JudgeContext): Verdict;
  /** How a command is read, and what each rule says of it. */
  explain(command: string, context?: JudgeContext): Explanation;
}

const BUILT_IN: readonly Rule[] = [blindGitAdd, forcePush, dangerousRm, systemDirectories];

/** Makes a policy; everything that is wrong with its rules is said now. */
export function createPolicy(options: PolicyOptions = {}): Policy {
  checkOwnRules(
    options.rules ?? [],
    BUILT_IN.map(({ id }) => id),
  );
  const own = (options.rules ?? []).map(toRule);
  const settings = resolveSettings(options, own);
  checkRuleExamples(own, settings);
  checkApprovalExamples(settings.approvals);
  return {
    judge: (command, context = {}) => judge(command, { settings, context }),
    intercept: (commands, context) => interceptOnly(commands, { settings, context }),
    explain: (command, context = {}) => explain(command, { settings, context }),
  };
}

function resolveSettings(options: PolicyOptions, own: readonly Rule[]): Settings {
  const { checks = {}, interceptor = {}, approvals = {} } = options;
  const chosen: Readonly<Record<string, boolean>> = { ...DEFAULT_CHECKS, ...checks };
  // Also where it is off: a rule that cannot work is told when it is loaded, not when it is turned on.
  const intercepting = compileInterceptor(interceptor.rules ?? DEFAULT_INTERCEPTOR_RULES);
  const rules = [...BUILT_IN.filter(({ id }) => chosen[id]), ...own];
  return {
    rules,
    prefilter: createPrefilter(own.flatMap(({ commands }) => commands)),
    homeSubpaths: options.homeSubpaths ?? 'block',
    unreadable: options.unreadable ?? 'refuse',
    limits: { ...LIMITS, ...options.limits },
    bashAccepts: options.bashAccepts ?? null,
    interceptor: interceptor.enabled ? { rules: intercepting, mode: interceptor.mode ?? 'block' } : null,
    approvals: compileApprovals(approvals.rules ?? []),
    otherwise: approvals.otherwise ?? 'allow',
  };
}
