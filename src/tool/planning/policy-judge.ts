import { bashReads } from '../../engine/shell/bash-reads.ts';
import { NacreError } from '../../errors.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import type { Answer, Approver, Asking } from '../policy/approve/question.ts';
import type { ApprovalRule } from '../policy/approve/rule.ts';
import { compileInterceptor } from '../policy/intercept/rule.ts';
import type { JudgeContext } from '../policy/judge/settings.ts';
import type { Question, Verdict } from '../policy/judge/verdict.ts';
import { createLazyPolicy } from '../policy/lazy-policy.ts';
import type { Judge, JudgedPlace } from './judge.ts';

/** Refuses what the options refuse. Parser and rules are loaded when a command needs them. */
export function createJudge(options: ResolvedOptions, shell: () => string): Judge {
  const { policy: chosen, toolNames: tools } = options;
  // What is wrong with these can be said before the first command.
  compileInterceptor(chosen.interceptor?.rules ?? []);
  const policy = createLazyPolicy({ ...chosen, bashAccepts: (text) => bashReads(text, shell()) });
  const approvals = new Approvals(options);
  const home = options.env.HOME ?? options.inheritedEnv.HOME;
  const context = { ...(home === undefined ? {} : { home }) };
  return {
    intercept: async (texts) => (chosen.enabled ? settle(await policy.intercept(texts, { tools })) : []),
    check: async (text, where) => {
      if (!chosen.enabled) return [];
      const { cwd } = where;
      const learned = await approvals.learned(async (rules) => (await policy.load()).compile(rules));
      const verdict = await policy.judge(text, { ...context, cwd, learned });
      if (verdict.verdict === 'ask') await approvals.require(text, { ...where, ...verdict });
      return settle(verdict);
    },
    explain: async (text, cwd) => policy.explain(text, { ...context, cwd, tools }),
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

type Learned = NonNullable<JudgeContext['learned']>;

/** Asks whoever approves, and remembers what was allowed for good. */
class Approvals {
  readonly #options: Pick<ResolvedOptions, 'approve' | 'session'>;
  readonly #rules: ApprovalRule[] = [];

  constructor(options: Pick<ResolvedOptions, 'approve' | 'session'>) {
    this.#options = options;
  }

  async learned(compile: (rules: readonly ApprovalRule[]) => Promise<Learned>): Promise<Learned> {
    return this.#rules.length === 0 ? [] : compile(this.#rules);
  }

  /** Returns when the command may run; no answer is no. */
  async require(command: string, { cwd, signal, question, message }: Asked): Promise<void> {
    const { approve, session } = this.#options;
    const { parts = [], reason = message, always = [] } = question ?? {};
    if (approve === null) throw refused(message, 'Nobody is there to approve it, so it was not run.');
    const asking = { command, cwd, session, parts, reason, always };
    const answer = await ask(asking, { approve, signal, message });
    if (answer === 'always')
      this.#rules.push(...always.map((rule) => ({ action: 'allow' as const, ...rule })));
    else if (answer !== 'once') throw refused(message, 'It was not approved, so it was not run.');
  }
}

interface Ask {
  readonly approve: Approver;
  readonly signal: AbortSignal | undefined;
  readonly message: string;
}

async function ask(asking: Asking, { approve, signal, message }: Ask): Promise<Answer> {
  try {
    return await approve(asking, signal);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw refused(message, `Asking for it failed, so it was not run: ${reason}`);
  }
}

interface Asked extends JudgedPlace {
  readonly message: string;
  readonly question?: Question;
}

function refused(message: string, why: string): NacreError {
  return new NacreError('blocked_by_policy', { message: `${message}\n${why}` });
}
