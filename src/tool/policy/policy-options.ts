import type { ApprovalRule } from './approve/rule.ts';
import type { InterceptorMode, InterceptorRule, TakeOver } from './intercept/rule.ts';
import type { Decision } from './judge/verdict.ts';
import type { PolicyRule } from './rules/own-rule.ts';
import type { Limits } from './state/budget.ts';

/** The checks that come with the policy. */
export type BuiltInCheck =
  | 'no_blind_git_add'
  | 'no_force_push'
  | 'no_dangerous_rm'
  | 'no_system_directory_rm';

/** What a policy is made of; everything is optional. */
export interface PolicyOptions {
  /**
   * Turns single checks on and off.
   *
   * @default all but `no_system_directory_rm`
   */
  readonly checks?: Partial<Readonly<Record<BuiltInCheck, boolean>>>;
  /**
   * Checks of one's own, beside those that come with the policy.
   *
   * @default []
   */
  readonly rules?: readonly PolicyRule[];
  /**
   * Whether deleting anything below `~` counts, or only the home directory itself.
   *
   * @default 'block'
   */
  readonly homeSubpaths?: 'block' | 'allow';
  /**
   * What happens to a command that bash can read and the policy cannot.
   *
   * @default 'refuse'
   */
  readonly unreadable?: 'refuse' | 'allow';
  readonly limits?: Partial<Limits>;
  /** Says whether bash itself can read a text, as `bash -n` does; without it, bash is taken to read everything. */
  readonly bashAccepts?: (text: string) => boolean;
  readonly interceptor?: InterceptorOptions;
  readonly approvals?: ApprovalOptions;
}

/** The policy of an instance. */
export interface BashPolicyOptions extends Omit<PolicyOptions, 'bashAccepts'> {
  /**
   * Whether commands are judged at all: checks, interceptor and approvals.
   *
   * @default true; false in `simple`
   */
  readonly enabled?: boolean;
}

/** Sends commands to tools that do them better. */
export interface InterceptorOptions {
  /** @default false */
  readonly enabled?: boolean;
  /** In place of the rules that come with it. */
  readonly rules?: readonly InterceptorRule[];
  /** @default 'block' */
  readonly mode?: InterceptorMode;
  /**
   * With `rewrite`: carries out a call that is nothing but the command that was caught. What it gives is the result of the call; where
   * it is missing or gives nothing, the command is refused with the name of the tool.
   *
   * @default null
   */
  readonly takeOver?: TakeOver | null;
}

/** Which commands need a person's word. */
export interface ApprovalOptions {
  /** In order: the first that matches a part decides about it. */
  readonly rules?: readonly ApprovalRule[];
  /**
   * What happens to a command with a part that no rule is about.
   *
   * @default 'allow'
   */
  readonly otherwise?: Decision;
  /**
   * How long a question waits for its answer, in milliseconds; no answer is no. 0 asks nobody.
   *
   * @default 300_000
   */
  readonly waitMs?: number;
}
