import { NO_MASK } from '../../engine/output/mask.ts';
import { NacreError } from '../../errors.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import type { CompiledApproval } from '../policy/approve/rule.ts';
import { compileApprovals } from '../policy/approve/rule.ts';
import { Asker, type Settled } from '../policy/asking/asker.ts';
import type { LearnedRule } from '../policy/asking/learned-rules.ts';
import type { Approver, Asking } from '../policy/asking/question.ts';
import type { Question } from '../policy/judge/verdict.ts';
import type { JudgedPlace } from './judge.ts';

interface Asked extends Omit<JudgedPlace, 'meaning'> {
  readonly message: string;
  readonly question?: Question;
}

/** Asks whoever approves, and knows what was allowed for good. */
export class Approving {
  readonly #options: Pick<ResolvedOptions, 'approve' | 'session'>;
  readonly #asker: Asker;
  #compiled: { readonly from: readonly LearnedRule[]; readonly rules: readonly CompiledApproval[] } = {
    from: [],
    rules: [],
  };

  constructor(options: Pick<ResolvedOptions, 'approve' | 'session' | 'stateDirectory' | 'policy'>) {
    const { stateDirectory, policy } = options;
    this.#options = options;
    this.#asker = new Asker({ stateDirectory, waitMs: policy.approvals.waitMs });
  }

  learned(): readonly CompiledApproval[] {
    const from = this.#asker.learned();
    if (from !== this.#compiled.from) {
      const rules = compileApprovals(from.map((rule) => ({ action: 'allow', ...toPrefix(rule) })));
      this.#compiled = { from, rules };
    }
    return this.#compiled.rules;
  }

  /** Returns when the command may run; no answer is no. */
  async require(command: string, asked: Asked): Promise<void> {
    const { message, signal } = asked;
    const approve = asked.approve ?? this.#options.approve;
    const asking = toAsking(command, { ...asked, session: this.#options.session });
    const settled = await this.#ask(asking, { approve, signal, message });
    if (settled.answer === 'no') throw refused(message, this.#why(settled, signal));
  }

  close(): void {
    this.#asker.close();
  }

  async #ask(asking: Asking, { approve, signal, message }: Ask): Promise<Settled> {
    try {
      return await this.#asker.ask(asking, { approve, signal });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw refused(message, `Asking for it failed, so it was not run: ${reason}`);
    }
  }

  #why({ by, reason }: Settled, signal: AbortSignal | undefined): string {
    if (by === 'person')
      return `It was not approved, so it was not run.${reason === undefined ? '' : ` ${reason}`}`;
    if (this.#asker.waitMs === 0) return 'Nobody is there to approve it, so it was not run.';
    if (signal?.aborted || this.#asker.closed) return 'The question was withdrawn, so it was not run.';
    return `Nobody answered within ${this.#asker.waitMs / 1000} seconds, so it was not run.`;
  }
}

interface Ask {
  readonly approve: Approver | null;
  readonly signal: AbortSignal | undefined;
  readonly message: string;
}

function toAsking(command: string, asked: Asked & { readonly session: string }): Asking {
  const { cwd, session, question, message, mask = NO_MASK } = asked;
  const { parts = [], spans = [], reason = message, always = [] } = question ?? {};
  // A rule with a secret in it would be kept on disk.
  const isSecret = always.some(({ prefix }) => prefix.some((word) => mask.apply(word) !== word));
  return {
    command: mask.apply(command),
    cwd,
    session,
    parts: parts.map((part) => mask.apply(part)),
    spans,
    reason: mask.apply(reason),
    always: isSecret ? [] : always,
  };
}

function toPrefix({ prefix, exact }: LearnedRule): Pick<LearnedRule, 'prefix' | 'exact'> {
  return exact === undefined ? { prefix } : { prefix, exact };
}

function refused(message: string, why: string): NacreError {
  return new NacreError('blocked_by_policy', { message: `${message}\n${why}` });
}
