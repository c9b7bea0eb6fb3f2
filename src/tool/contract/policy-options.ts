import type { Decision, Suggestion } from './policy-verdict.ts';

/** A simple command that would run, with its words as far as they are known. */
export interface Invocation {
  /** Without directories: `/usr/bin/kubectl` is `kubectl`. `null` when nobody knows. */
  readonly name: string | null;
  /** The words after the name; `null` for one that is known only when it runs. */
  readonly words: readonly (string | null)[];
  /** As a person would type it. */
  readonly text: string;
  /** From the outside in: `sudo`, `bash -c`. */
  readonly via: readonly string[];
  /** The directories it may run in: `$PWD` for where it starts, `~` for home, `…` for what nobody knows. */
  readonly cwd: readonly string[];
  /** Variables assigned for this command alone. */
  readonly assigned: readonly string[];
  /** Files that its output is written to. */
  readonly writes: readonly string[];
  /** Whether it reads from a pipe. */
  readonly piped: boolean;
  /** Reads the words as options and operands: clusters, abbreviations, `--`, options after operands. */
  options(spec?: OptionSpec): InvocationOptions;
}

export interface InvocationOptions {
  /** Whether one of these is given: `has('f', 'force')`. */
  has(...names: readonly string[]): boolean;
  /** The last value of one of these; `null` when it is known only when it runs, `undefined` when it is not given. */
  value(...names: readonly string[]): string | null | undefined;
  readonly operands: readonly (string | null)[];
}

/** A rule of one's own. It sees every command of the names it is about, wherever it stands and however it is spelled. */
export interface PolicyRule {
  /** Names it in refusals, in the log and in `explain`. */
  readonly id: string;
  /** Names of programs, without directories; `*` for all. */
  readonly commands: readonly string[];
  /** The first line of what the model is told. */
  readonly message: string;
  /**
   * What happens to a command that it matches: refused, asked about, or run with a note.
   *
   * @default 'deny'
   */
  readonly verdict?: 'deny' | 'ask' | 'warn';
  /** What to do instead, in one line. */
  readonly instead?: string;
  /** Says what is wrong, in a few words, or `null`. One that throws counts as a match. */
  readonly check: (invocation: Invocation) => string | null | undefined;
  /** Tried when the rule is loaded: a rule that fails one of them is an error that names it. */
  readonly examples: { readonly match: readonly string[]; readonly noMatch?: readonly string[] };
}

/** The options a program knows. */
export interface OptionSpec {
  /** Letters that take a value, attached or as the next word. */
  readonly short?: string;
  /** Letters that take a value only if it is attached. */
  readonly attached?: string;
  /** Long names; `name=` takes a value, `name=?` only with an equals sign. */
  readonly long?: readonly string[];
  /** Whether options may come after operands (GNU, git); otherwise the first operand ends them. */
  readonly permute?: boolean;
  /** Whether every long option also has a `--no-` form (git). */
  readonly negatable?: boolean;
}

/** A simple command that another tool does better. */
export interface InterceptorRule {
  /** A regular expression, tried on the simple command as it stands, without leading assignments. */
  readonly pattern: string;
  readonly flags?: string;
  /** The tool's name; the rule holds only where there is one of that name. */
  readonly tool: string;
  readonly message: string;
  /** Only where the command writes into a file, or only where it does not. */
  readonly output?: 'file' | 'shown';
}

/** What happens to a command that is caught: it is refused, run with a note, or handed to the tool that does it better. */
export type InterceptorMode = 'block' | 'warn' | 'rewrite';

/** Carries a call out with another tool and gives what that says; `undefined` where it cannot. */
export type TakeOver = (suggestion: Suggestion) => string | undefined | Promise<string | undefined>;

/** A rule of one's own: the first that matches a part decides about it. */
export interface ApprovalRule {
  readonly action: Decision;
  /** The first words of a command: `git log`, or `['git', 'log']`. */
  readonly prefix?: string | readonly string[];
  /** Whether nothing may follow the prefix. */
  readonly exact?: boolean;
  /** A regular expression, tried on the command as it stands and as it was understood. */
  readonly pattern?: string;
  readonly flags?: string;
  readonly reason?: string;
  /** Tried when the rule is loaded: a rule that fails its own examples is refused. */
  readonly examples?: { readonly match?: readonly string[]; readonly noMatch?: readonly string[] };
}

/** How much work one command may cause before it is refused. */
export interface PolicyLimits {
  /** Characters of the command. */
  readonly maxLength: number;
  /** Scripts inside scripts, wrappers around wrappers. */
  readonly maxDepth: number;
  /** Commands, words and values looked at. */
  readonly maxSteps: number;
}

export const DEFAULT_POLICY_LIMITS: PolicyLimits = { maxLength: 262_144, maxDepth: 32, maxSteps: 100_000 };

/** The checks that come with the policy. */
export type BuiltInCheck =
  | 'no_blind_git_add'
  | 'no_force_push'
  | 'no_dangerous_rm'
  | 'no_system_directory_rm';

/** What a policy is made of; everything is optional. */
export interface CommandPolicyOptions {
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
  readonly limits?: Partial<PolicyLimits>;
  /** Says whether bash itself can read a text, as `bash -n` does; without it, bash is taken to read everything. */
  readonly bashAccepts?: (text: string) => boolean;
  readonly interceptor?: InterceptorOptions;
  readonly approvals?: ApprovalOptions;
}

/** The policy of an instance. */
export interface BashPolicyOptions extends Omit<CommandPolicyOptions, 'bashAccepts'> {
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

/** Which checks are on when nobody says otherwise. */
export const DEFAULT_POLICY_CHECKS: Readonly<Record<BuiltInCheck, boolean>> = {
  no_blind_git_add: true,
  no_force_push: true,
  no_dangerous_rm: true,
  no_system_directory_rm: false,
};
