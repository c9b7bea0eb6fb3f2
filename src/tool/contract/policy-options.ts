import type { BashSyntax } from '../../engine/shell/find-shell.ts';
import type { Decision, Suggestion } from './policy-verdict.ts';

/** A simple command that would run, with its statically known words. */
export interface Invocation {
  /** Program name without its directory: `/usr/bin/kubectl` is `kubectl`. `null` when it is unknown. */
  readonly name: string | null;
  /** Arguments; `null` for a word that is known only at run time. */
  readonly words: readonly (string | null)[];
  /** The command as shell text. */
  readonly text: string;
  /** Wrappers around the command, outermost first: `sudo`, `bash -c`. */
  readonly via: readonly string[];
  /** Possible working directories: `$PWD` for the start directory, `~` for home, `…` for unknown. */
  readonly cwd: readonly string[];
  /** Names of the variables assigned for this command only. */
  readonly assigned: readonly string[];
  /** Files that the output is redirected to. */
  readonly writes: readonly string[];
  /** Whether the command reads from a pipe. */
  readonly piped: boolean;
  /** Parses the arguments as options and operands: clusters, abbreviations, `--`, options after operands. */
  options(spec?: OptionSpec): InvocationOptions;
}

export interface InvocationOptions {
  /** Whether one of these options is given: `has('f', 'force')`. */
  has(...names: readonly string[]): boolean;
  /**
   * Last value of one of these options; `null` when it is known only at run time, `undefined` when not given.
   */
  value(...names: readonly string[]): string | null | undefined;
  readonly operands: readonly (string | null)[];
}

/**
 * A custom policy rule. It is evaluated for every command with one of its names, also inside wrappers and
 * substitutions.
 */
export interface PolicyRule {
  /** Identifier in refusals, in the log and in `explain`. */
  readonly id: string;
  /** Program names without directories; `*` for all. */
  readonly commands: readonly string[];
  /** First line of the message for the model. */
  readonly message: string;
  /**
   * What happens to a matching command: refused, approval required, or run with a note.
   *
   * @default 'deny'
   */
  readonly verdict?: 'deny' | 'ask' | 'warn';
  /** One line about what to do instead. */
  readonly instead?: string;
  /** Returns what is wrong in a few words, or `null`. A check that throws counts as a match. */
  readonly check: (invocation: Invocation) => string | null | undefined;
  /** Evaluated when the rule is loaded; an example that fails is an error. */
  readonly examples: { readonly match: readonly string[]; readonly noMatch?: readonly string[] };
}

/** The options that a program accepts. */
export interface OptionSpec {
  /** Letters that take a value, attached or as the next word. */
  readonly short?: string;
  /** Letters that take a value only when it is attached. */
  readonly attached?: string;
  /** Long names; `name=` takes a value, `name=?` only with an equals sign. */
  readonly long?: readonly string[];
  /** Whether options may come after operands (GNU, git); otherwise the first operand ends them. */
  readonly permute?: boolean;
  /** Whether every long option also has a `--no-` form (git). */
  readonly negatable?: boolean;
}

/** A rule that redirects a simple command to another tool. */
export interface InterceptorRule {
  /** Regular expression for the source text of the simple command, without leading assignments. */
  readonly pattern: string;
  readonly flags?: string;
  /** Name of the tool; the rule applies only when the caller has this tool. */
  readonly tool: string;
  readonly message: string;
  /** Restricts the rule to commands that write to a file, or to commands that do not. */
  readonly output?: 'file' | 'shown';
}

/** What happens to an intercepted command: refused, run with a note, or passed to the suggested tool. */
export type InterceptorMode = 'block' | 'warn' | 'rewrite';

/** Carries out a command with another tool and returns its output; `undefined` when it cannot. */
export type TakeOver = (suggestion: Suggestion) => string | undefined | Promise<string | undefined>;

/** An approval rule. The first rule that matches a part of a command decides about that part. */
export interface ApprovalRule {
  readonly action: Decision;
  /** First words of a command: `git log`, or `['git', 'log']`. */
  readonly prefix?: string | readonly string[];
  /** Whether the command must end after the prefix. */
  readonly exact?: boolean;
  /** Regular expression for the source text and the parsed text of the command. */
  readonly pattern?: string;
  readonly flags?: string;
  readonly reason?: string;
  /** Evaluated when the rule is loaded; an example that fails is an error. */
  readonly examples?: { readonly match?: readonly string[]; readonly noMatch?: readonly string[] };
}

/** Limits on the evaluation of one command; a command beyond them is refused. */
export interface PolicyLimits {
  /** Length of the command in characters. */
  readonly maxLength: number;
  /** Nesting depth of scripts and wrappers. */
  readonly maxDepth: number;
  /** Number of evaluated commands, words and values. */
  readonly maxSteps: number;
}

export const DEFAULT_POLICY_LIMITS: PolicyLimits = { maxLength: 262_144, maxDepth: 32, maxSteps: 100_000 };

/** Identifiers of the built-in checks. */
export type BuiltInCheck =
  | 'no_blind_git_add'
  | 'no_force_push'
  | 'no_dangerous_rm'
  | 'no_system_directory_rm';

/** Options of a command policy. */
export interface CommandPolicyOptions {
  /**
   * Enables or disables single checks.
   *
   * @default all enabled
   */
  readonly checks?: Partial<Readonly<Record<BuiltInCheck, boolean>>>;
  /**
   * Custom rules, in addition to the built-in checks.
   *
   * @default []
   */
  readonly rules?: readonly PolicyRule[];
  /**
   * Whether deleting anything below `~` is blocked, or only the home directory itself.
   *
   * @default 'block'
   */
  readonly homeSubpaths?: 'block' | 'allow';
  /**
   * What happens to a command that bash can parse and the policy cannot.
   *
   * @default 'refuse'
   */
  readonly unreadable?: 'refuse' | 'allow';
  readonly limits?: Partial<PolicyLimits>;
  /** Checks the syntax of a text with `bash -n`; without it, every text counts as valid. */
  readonly checkSyntax?: (text: string) => BashSyntax;
  readonly interceptor?: InterceptorOptions;
  readonly approvals?: ApprovalOptions;
}

/** Policy options of an instance. */
export interface BashPolicyOptions extends Omit<CommandPolicyOptions, 'checkSyntax'> {
  /**
   * Whether commands are checked at all: checks, interceptor and approvals.
   *
   * @default true; false in `simple`
   */
  readonly enabled?: boolean;
}

/** Options of the interceptor, which redirects commands to better tools. */
export interface InterceptorOptions {
  /** @default false */
  readonly enabled?: boolean;
  /** Replaces the built-in rules. */
  readonly rules?: readonly InterceptorRule[];
  /** @default 'block' */
  readonly mode?: InterceptorMode;
  /**
   * With `rewrite`: carries out a call that consists of the intercepted command only. Its text is the result of
   * the call. Without it, or when it returns `undefined`, the command is refused.
   *
   * @default null
   */
  readonly takeOver?: TakeOver | null;
}

/** Options for commands that need the approval of a person. */
export interface ApprovalOptions {
  /** Ordered rules; the first rule that matches a part decides about it. */
  readonly rules?: readonly ApprovalRule[];
  /**
   * Decision for a part that no rule matches.
   *
   * @default 'allow'
   */
  readonly otherwise?: Decision;
  /**
   * Milliseconds to wait for an answer; no answer is a refusal. 0 refuses at once.
   *
   * @default 300_000
   */
  readonly waitMs?: number;
}

/** Built-in checks that are enabled by default. */
export const DEFAULT_POLICY_CHECKS: Readonly<Record<BuiltInCheck, boolean>> = {
  no_blind_git_add: true,
  no_force_push: true,
  no_dangerous_rm: true,
  no_system_directory_rm: true,
};
