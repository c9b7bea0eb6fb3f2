import { NO_SECRET_MASK, type SecretMask } from '../../engine/output/secret-mask.ts';
import { isValidBashSyntax } from '../../engine/shell/find-shell.ts';
import { NacreError } from '../../errors.ts';
import { ApprovalAsker, type SettledReply } from '../approvals/approval-asker.ts';
import { type CompiledApprovalRule, compileApprovalRules } from '../approvals/approval-rules.ts';
import { createPolicy } from '../approvals/create-policy.ts';
import type { Explanation } from '../approvals/explain-command.ts';
import { holdsFor, projectOf } from '../approvals/learned-rules.ts';
import type { InterceptorOptions } from '../contract/policy-options.ts';
import type { ApprovalQuestion, Approver, Asking, PolicyVerdict } from '../contract/policy-verdict.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';

/** Says whether a command may run. Both ways refuse by throwing `blocked_by_policy`, and give notes otherwise. */
export interface PolicyGate {
  /** Sends a command to a better tool: the text as it came, and without its leading `cd`. */
  intercept(texts: readonly string[], cwd: string | null): Promise<InterceptResult>;
  /** The very text that bash will get, and where. */
  checkCommand(text: string, where: PolicyGateContext): Promise<readonly string[]>;
  /** A person's word for something that no rule can allow. */
  requireApproval(
    text: string,
    where: Omit<PolicyGateContext, 'definitions'> & { readonly message: string },
  ): Promise<void>;
  /** How a text is read, and what the rules say of it. */
  explain(text: string, where: Pick<PolicyGateContext, 'cwd' | 'definitions'>): Promise<Explanation>;
  /** Withdraws the questions that still wait. */
  close(): void;
}

/** What the interceptor says of a command that goes on: notes, or what the tool said that took the call over. */
export interface InterceptResult {
  readonly notes: readonly string[];
  readonly takenOver: { readonly tool: string; readonly text: string } | null;
}

export interface PolicyGateContext {
  /** Absolute. */
  readonly cwd: string;
  /** What names in the text mean in the session's shell, as shell text. */
  readonly definitions: string;
  /** Ends a wait for a person's answer. */
  readonly signal?: AbortSignal | undefined;
  /** In place of the instance's own. */
  readonly approve?: Approver | undefined;
  /** Takes secrets out of what a person is shown. */
  readonly mask?: SecretMask;
}

/** Refuses what the options refuse. What is wrong with their rules is said now, before the first command. */
export function createPolicyGate(options: ResolvedOptions, shell: () => string): PolicyGate {
  const { policy: chosen, toolNames: tools } = options;
  const policy = createPolicy({ ...chosen, bashAccepts: (text) => isValidBashSyntax(text, shell()) });
  const approving = new ApprovalGate(options);
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
      const takenOver = await offerTakeOver(shortest, { cwd, interceptor: chosen.interceptor });
      return { notes: takenOver === null ? toNotesOrThrow(verdict) : [], takenOver };
    },
    checkCommand: async (text, where) => {
      if (!chosen.enabled) return [];
      const { cwd, definitions: prelude } = where;
      const learned = approves ? approving.learnedRules(cwd) : [];
      const verdict = policy.judge(text, { ...context, cwd, learned, prelude });
      if (verdict.verdict === 'ask') await approving.requireApproval(text, { ...where, ...verdict });
      return toNotesOrThrow(verdict);
    },
    requireApproval: (text, where) => approving.requireApproval(text, where),
    explain: async (text, { cwd, definitions: prelude }) =>
      policy.explain(text, { ...context, cwd, prelude, tools, learned: approving.learnedRules(cwd) }),
    close: () => approving.close(),
  };
}

interface TakeOverContext {
  readonly cwd: string | null;
  readonly interceptor: InterceptorOptions | undefined;
}

/** Lets the caller's tool carry out what it does better; one that fails says so instead. */
async function offerTakeOver(
  { findings }: PolicyVerdict,
  { cwd, interceptor }: TakeOverContext,
): Promise<InterceptResult['takenOver']> {
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
function toNotesOrThrow({
  verdict,
  message,
  suggestedTool,
  findings,
  notes,
}: PolicyVerdict): readonly string[] {
  if (verdict !== 'deny') return verdict === 'allow' && message !== '' ? [message, ...notes] : notes;
  const first = findings.find((finding) => finding.verdict === 'deny');
  throw new NacreError('blocked_by_policy', {
    message,
    ...(first === undefined ? {} : { check: first.rule }),
    ...(suggestedTool === undefined ? {} : { suggestedTool }),
  });
}

interface ApprovalRequest extends Omit<PolicyGateContext, 'definitions'> {
  readonly message: string;
  readonly question?: ApprovalQuestion;
}

/** Asks for approvals, and knows the rules that lasting answers stored. */
export class ApprovalGate {
  readonly #options: Pick<ResolvedOptions, 'approve' | 'session'>;
  readonly #asker: ApprovalAsker;

  constructor(options: Pick<ResolvedOptions, 'approve' | 'session' | 'stateDirectory' | 'policy'>) {
    const { stateDirectory, policy } = options;
    this.#options = options;
    this.#asker = new ApprovalAsker({ stateDirectory, waitMs: policy.approvals.waitMs });
  }

  /** The stored rules that hold for a command of this session that starts in `cwd`. */
  learnedRules(cwd: string): readonly CompiledApprovalRule[] {
    const { session } = this.#options;
    const rules = this.#asker.learned().filter((rule) => holdsFor(rule, { session, cwd }));
    return compileApprovalRules(rules.map(({ prefix, exact }) => ({ action: 'allow', prefix, exact })));
  }

  /** Returns when the command may run; no answer is no. */
  async requireApproval(command: string, asked: ApprovalRequest): Promise<void> {
    const { message, signal } = asked;
    const approve = asked.approve ?? this.#options.approve;
    const asking = toApprovalQuestion(command, { ...asked, session: this.#options.session });
    const settled = await this.#ask(asking, { approve, signal, message });
    if (settled.answer === 'no') throw approvalRefusedError(message, this.#renderRefusal(settled, signal));
  }

  close(): void {
    this.#asker.close();
  }

  async #ask(asking: Asking, { approve, signal, message }: AskOptions): Promise<SettledReply> {
    try {
      return await this.#asker.ask(asking, { approve, signal });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw approvalRefusedError(message, `Asking for it failed, so it was not run: ${reason}`);
    }
  }

  #renderRefusal({ by, reason }: SettledReply, signal: AbortSignal | undefined): string {
    if (by === 'person')
      return `It was not approved, so it was not run.${reason === undefined ? '' : ` ${reason}`}`;
    if (this.#asker.waitMs === 0) return 'Nobody is there to approve it, so it was not run.';
    if (signal?.aborted || this.#asker.closed) return 'The question was withdrawn, so it was not run.';
    return `Nobody answered within ${this.#asker.waitMs / 1000} seconds, so it was not run.`;
  }
}

interface AskOptions {
  readonly approve: Approver | null;
  readonly signal: AbortSignal | undefined;
  readonly message: string;
}

function toApprovalQuestion(command: string, asked: ApprovalRequest & { readonly session: string }): Asking {
  const { cwd, session, question, message, mask = NO_SECRET_MASK } = asked;
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

function approvalRefusedError(message: string, why: string): NacreError {
  return new NacreError('blocked_by_policy', { message: `${message}\n${why}` });
}
