import { bashReads } from '../../engine/shell/bash-reads.ts';
import { NacreError } from '../../errors.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import type { Verdict } from '../policy/judge/verdict.ts';
import { createPolicy } from '../policy/policy.ts';
import type { InterceptorOptions } from '../policy/policy-options.ts';
import { Approving } from './approving.ts';
import type { Intercepted, Judge } from './judge.ts';

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
    intercept: async (texts, cwd) => {
      if (!chosen.enabled) return { notes: [], takenOver: null };
      const verdict = policy.intercept(texts, { tools });
      // Without its leading `cd` a command may be nothing but what a tool does better.
      const shortest = texts.length < 2 ? verdict : policy.intercept(texts.slice(-1), { tools });
      const takenOver = await handOver(shortest, { cwd, interceptor: chosen.interceptor });
      return { notes: takenOver === null ? settle(verdict) : [], takenOver };
    },
    check: async (text, where) => {
      if (!chosen.enabled) return [];
      const { cwd, meaning: prelude } = where;
      const learned = approves ? approving.learned(cwd) : [];
      const verdict = policy.judge(text, { ...context, cwd, learned, prelude });
      if (verdict.verdict === 'ask') await approving.require(text, { ...where, ...verdict });
      return settle(verdict);
    },
    askFor: (text, where) => approving.require(text, where),
    explain: async (text, { cwd, meaning: prelude }) =>
      policy.explain(text, { ...context, cwd, prelude, tools, learned: approving.learned(cwd) }),
    close: () => approving.close(),
  };
}

interface HandingOver {
  readonly cwd: string | null;
  readonly interceptor: InterceptorOptions | undefined;
}

/** Lets the caller's tool carry out what it does better; one that fails says so instead. */
async function handOver(
  { findings }: Verdict,
  { cwd, interceptor }: HandingOver,
): Promise<Intercepted['takenOver']> {
  const suggestion = findings.find((finding) => finding.suggestion !== undefined)?.suggestion;
  const takeOver = interceptor?.mode === 'rewrite' ? interceptor.takeOver : null;
  if (suggestion === undefined || takeOver == null) return null;
  try {
    const text = await takeOver({ ...suggestion, cwd });
    return text === undefined ? null : { tool: suggestion.tool, text };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `Blocked: ${suggestion.message}\nThe tool could not take it over: ${reason}`;
    throw new NacreError('blocked_by_policy', { message, suggestedTool: suggestion.tool }, { cause });
  }
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
