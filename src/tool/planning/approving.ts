import { NO_MASK } from '../../engine/output/mask.ts';
import { NacreError } from '../../errors.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import type { CompiledApproval } from '../policy/approve/rule.ts';
import { compileApprovals } from '../policy/approve/rule.ts';
import { Asker, type Settled } from '../policy/asking/asker.ts';
import { holdsFor, projectOf } from '../policy/asking/learned-rules.ts';
import type { Approver, Asking } from '../policy/asking/question.ts';
import type { Question } from '../policy/judge/verdict.ts';
import type { JudgedPlace } from './judge.ts';

interface Asked extends Omit<JudgedPlace, 'meaning'> {
  readonly message: string;
  readonly question?: Question;
}

/** Asks for approvals, and knows the rules that lasting answers stored. */
export class Approving {
  readonly #options: Pick<ResolvedOptions, 'approve' | 'session'>;
  readonly #asker: Asker;

  constructor(options: Pick<ResolvedOptions, 'approve' | 'session' | 'stateDirectory' | 'policy'>) {
    const { stateDirectory, policy } = options;
    this.#options = options;
    this.#asker = new Asker({ stateDirectory, waitMs: policy.approvals.waitMs });
  }

  /** The stored rules that hold for a command of this session that starts in `cwd`. */
  learned(cwd: string): readonly CompiledApproval[] {
    const { session } = this.#options;
    const rules = this.#asker.learned().filter((rule) => holdsFor(rule, { session, cwd }));
    return compileApprovals(rules.map(({ prefix, exact }) => ({ action: 'allow', prefix, exact })));
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
    project: projectOf(cwd),
    parts: parts.map((part) => mask.apply(part)),
    spans,
    reason: mask.apply(reason),
    always: isSecret ? [] : always,
  };
}

function refused(message: string, why: string): NacreError {
  return new NacreError('blocked_by_policy', { message: `${message}\n${why}` });
}
