import { NO_SECRET_MASK, type SecretMask } from '../../engine/output/secret-mask.ts';
import { checkBashSyntax } from '../../engine/shell/find-shell.ts';
import { NacreError } from '../../errors.ts';
import { ApprovalAsker, type SettledReply } from '../approvals/approval-asker.ts';
import { type CompiledApprovalRule, compileApprovalRules } from '../approvals/approval-rules.ts';
import { createPolicy } from '../approvals/create-policy.ts';
import type { Explanation } from '../approvals/explain-command.ts';
import { holdsFor, projectOf } from '../approvals/learned-rules.ts';
import type { InterceptorOptions } from '../contract/policy-options.ts';
import type { ApprovalQuestion, Approver, Asking, PolicyVerdict } from '../contract/policy-verdict.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';

/**
 * Decides whether a command may run. A refusal is thrown as `blocked_by_policy`; otherwise the methods return
 * notes.
 */
export interface PolicyGate {
  /** Redirects a command to a better tool. `texts` are the command as given and without its leading `cd`. */
  intercept(texts: readonly string[], cwd: string | null): Promise<InterceptResult>;
  /** Checks the exact text that bash will run. */
  checkCommand(text: string, where: PolicyGateContext): Promise<readonly string[]>;
  /** Asks a person to approve what no rule can allow. */
  requireApproval(
    text: string,
    where: Omit<PolicyGateContext, 'definitions'> & { readonly message: string },
  ): Promise<void>;
  /** Explains how a command is parsed and what the rules decide. */
  explain(text: string, where: Pick<PolicyGateContext, 'cwd' | 'definitions'>): Promise<Explanation>;
  /** Withdraws pending approvals. */
  close(): void;
}

/** Notes of the interceptor, or the result of the tool that took the call over. */
export interface InterceptResult {
  readonly notes: readonly string[];
  readonly takenOver: { readonly tool: string; readonly text: string } | null;
}

export interface PolicyGateContext {
  /** Absolute path. */
  readonly cwd: string;
  /** Definitions of the session's shell that the command uses, as shell text. */
  readonly definitions: string;
  /** Aborting it withdraws a pending approval. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the approver of the instance. */
  readonly approve?: Approver | undefined;
  /** Masks secrets in the question for a person. */
  readonly mask?: SecretMask;
}

/** Creates the policy gate of an instance. Invalid rules throw here, before the first command. */
export function createPolicyGate(options: ResolvedOptions, shell: () => string): PolicyGate {
  const { policy: chosen, toolNames: tools } = options;
  const policy = createPolicy({ ...chosen, checkSyntax: (text) => checkBashSyntax(text, shell()) });
  const approving = new ApprovalGate(options);
  const { rules, otherwise } = chosen.approvals;
  const approves = rules.length > 0 || otherwise !== 'allow';
  const home = options.env.HOME ?? options.inheritedEnv.HOME;
  const context = { ...(home === undefined ? {} : { home }) };
  return {
    intercept: async (texts, cwd) => {
      if (!chosen.enabled) return { notes: [], takenOver: null };
      const verdict = policy.intercept(texts, { tools });
      // The command without its leading `cd` may be a single command that a tool can take over.
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

/** Lets the caller's tool carry out the command; a tool that fails becomes a refusal. */
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
    const message = `Blocked: ${suggestion.message}\nThe suggested tool failed: ${reason}`;
    throw new NacreError('blocked_by_policy', { message, suggestedTool: suggestion.tool }, { cause });
  }
}

/** Returns the notes of a verdict; throws for a denied command. */
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

/** Asks for approvals and reads the rules that earlier answers stored. */
export class ApprovalGate {
  readonly #options: Pick<ResolvedOptions, 'approve' | 'session'>;
  readonly #asker: ApprovalAsker;

  constructor(options: Pick<ResolvedOptions, 'approve' | 'session' | 'stateDirectory' | 'policy'>) {
    const { stateDirectory, policy } = options;
    this.#options = options;
    this.#asker = new ApprovalAsker({ stateDirectory, waitMs: policy.approvals.waitMs });
  }

  /** Stored rules that apply to a command of this session in `cwd`. */
  learnedRules(cwd: string): readonly CompiledApprovalRule[] {
    const { session } = this.#options;
    const rules = this.#asker.learned().filter((rule) => holdsFor(rule, { session, cwd }));
    return compileApprovalRules(rules.map(({ prefix, exact }) => ({ action: 'allow', prefix, exact })));
  }

  /** Returns when the command is approved; no answer is a refusal. */
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
      throw approvalRefusedError(message, `The approval request failed, so it was not run: ${reason}`);
    }
  }

  #renderRefusal({ by, reason }: SettledReply, signal: AbortSignal | undefined): string {
    if (by === 'person')
      return `It was not approved, so it was not run.${reason === undefined ? '' : ` ${reason}`}`;
    if (this.#asker.waitMs === 0) return 'No approver is available, so it was not run.';
    if (signal?.aborted || this.#asker.closed)
      return 'The approval request was withdrawn, so it was not run.';
    return `No answer within ${this.#asker.waitMs / 1000} seconds, so it was not run.`;
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
  // A learned rule is stored on disk, so it must not contain a secret.
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
