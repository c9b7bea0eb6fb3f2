import type { CompiledApproval } from '../approve/rule.ts';
import type { CompiledInterceptor, InterceptorMode } from '../intercept/rule.ts';
import type { Rule } from '../rules/rule.ts';
import type { Limits } from '../state/budget.ts';
import type { Decision } from './verdict.ts';

/** A policy with every question answered. */
export interface Settings {
  readonly rules: readonly Rule[];
  /** Whether a rule could fire on a text at all. */
  readonly prefilter: (command: string) => boolean;
  readonly homeSubpaths: 'block' | 'allow';
  readonly unreadable: 'refuse' | 'allow';
  readonly limits: Limits;
  /** Whether bash itself can read a text; `null` when nobody can be asked. */
  readonly bashAccepts: ((text: string) => boolean) | null;
  readonly interceptor: {
    readonly rules: readonly CompiledInterceptor[];
    readonly mode: InterceptorMode;
  } | null;
  readonly approvals: readonly CompiledApproval[];
  /** What happens to a part that no approval rule is about. */
  readonly otherwise: Decision;
}

/** Where and among what a command would run. */
export interface JudgeContext {
  /** Absolute. */
  readonly home?: string;
  /** Absolute. */
  readonly cwd?: string;
  /** Names of the tools the caller has beside this one. */
  readonly tools?: readonly string[];
  /** What was run in the same shell before: its functions and variables still mean something. */
  readonly prelude?: string;
  /** What people allowed for good, after `compile`. */
  readonly learned?: readonly CompiledApproval[];
}

export interface Judging {
  readonly settings: Settings;
  readonly context: JudgeContext;
}
