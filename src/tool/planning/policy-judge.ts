import { bashReads } from '../../engine/shell/bash-reads.ts';
import { NacreError } from '../../errors.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import type { Verdict } from '../policy/judge/verdict.ts';
import { createPolicy } from '../policy/policy.ts';
import { Approving } from './approving.ts';
import type { Judge } from './judge.ts';

/** Refuses what the options refuse. What is wrong with their rules is said now, before the first command. */
export function createJudge(options: ResolvedOptions, shell: () => string): Judge {
  const { policy: chosen, toolNames: tools } = options;
  const policy = createPolicy({ ...chosen, bashAccepts: (text) => bashReads(text, shell()) });
  const approving = new Approving(options);
  const { rules, otherwise } = chosen.approvals;
  const approves = rules.length > 0 || otherwise !== 'allow';
  const home = options.env.HOME ?? options.inheritedEnv.HOME;
  const context = { ...(home === undefined ? {} : { home }) };
  return {
    intercept: async (texts) => (chosen.enabled ? settle(policy.intercept(texts, { tools })) : []),
    check: async (text, where) => {
      if (!chosen.enabled) return [];
      const { cwd } = where;
      const learned = approves ? approving.learned() : [];
      const verdict = policy.judge(text, { ...context, cwd, learned });
      if (verdict.verdict === 'ask') await approving.require(text, { ...where, ...verdict });
      return settle(verdict);
    },
    explain: async (text, cwd) =>
      policy.explain(text, { ...context, cwd, tools, learned: approving.learned() }),
    close: () => approving.close(),
  };
}

/** The notes of a verdict that lets go on; any other is an error. */
function settle({ verdict, message, suggestedTool, findings, notes }: Verdict): readonly string[] {
  if (verdict !== 'deny') return verdict === 'allow' && message !== '' ? [message, ...notes] : notes;
  const first = findings.find((finding) => finding.verdict === 'deny');
  throw new NacreError('blocked_by_policy', {
    message,
    ...(first === undefined ? {} : { check: first.rule }),
    ...(suggestedTool === undefined ? {} : { suggestedTool }),
  });
}
