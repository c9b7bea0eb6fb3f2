import type { Host } from '../../engine/hosts/host.ts';
import type { Hooks } from '../hooks.ts';
import type { HostConfig } from '../hosts/host-config.ts';
import type { JobEnd } from '../job/telling/job-end.ts';
import type { Approver } from '../policy/asking/question.ts';
import type { BashPolicyOptions } from '../policy/policy-options.ts';
import type { AsyncOptions } from './async-options.ts';
import type { MinimizerOptions } from './minimizer-options.ts';
import type { OuterOptions } from './outer-options.ts';
import type { SecretOptions } from './secret-options.ts';
import type { ShellOptions } from './shell-options.ts';
import type { StorageOptions } from './storage-options.ts';
import type { UrlOptions } from './url-options.ts';

/** One model-facing contract of the tool. */
export type ProfileName = 'agent' | 'modes' | 'simple';

/** Options of `createBash`. Every field has a default. */
export interface BashOptions extends OuterOptions, ShellOptions {
  /**
   * The session's directory: where commands start, and what a relative `cwd` is taken against.
   *
   * @default process.cwd()
   */
  readonly cwd?: string;
  /**
   * Which contract the model sees.
   *
   * @default 'agent'
   */
  readonly profile?: ProfileName;
  /**
   * Whose artifacts, jobs and `local://` folder these are. Two instances with the same key share them.
   *
   * @default a new key for each instance
   */
  readonly session?: string;
  /**
   * Variables of the session: over what is inherited and what is disarmed, under a call's own `env`.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The environment that commands inherit from.
   *
   * @default process.env
   */
  readonly inheritedEnv?: Readonly<Record<string, string | undefined>>;
  /**
   * Whether commands get `CI=true`: many tools then ask nothing, a few behave differently.
   *
   * @default true
   */
  readonly ci?: boolean;
  /**
   * The bash to use, as an absolute path; `null` looks for one.
   *
   * @default null
   */
  readonly shellPath?: string | null;
  /**
   * Where `shellPath` was set, for the error that says it cannot be used.
   *
   * @default 'the option shellPath'
   */
  readonly shellPathSource?: string;
  /**
   * Whether calls that can show a terminal run on one without asking for it.
   *
   * @default 'off'
   */
  readonly virtualTerminal?: 'on' | 'off';
  /**
   * Shell text that goes before every command, with a space between.
   *
   * @default ''
   */
  readonly shellPrefix?: string;
  /**
   * How long a command may run when its call names no limit, in milliseconds.
   *
   * @default 300_000 in `agent`, 30_000 in `modes` and `simple`
   */
  readonly timeoutMs?: number;
  /**
   * The same for `mode: "slow"` of the `modes` profile.
   *
   * @default 900_000
   */
  readonly slowTimeoutMs?: number;
  /**
   * The same for jobs.
   *
   * @default 86_400_000
   */
  readonly jobTimeoutMs?: number;
  /**
   * The longest limit a call of the `agent` profile may ask for.
   *
   * @default 3_600_000
   */
  readonly maxTimeoutMs?: number;
  /**
   * How long a command has between TERM and KILL, at most 15 seconds.
   *
   * @default 2_000; 15_000 in `modes`
   */
  readonly graceMs?: number;
  /** Background work. */
  readonly async?: AsyncOptions;
  /**
   * Lifts a trailing `| head -n N` or `| tail -n N` into the limits of what is shown, so that the
   * status of the command itself counts and its full output is kept.
   *
   * @default false
   */
  readonly liftLimits?: boolean;
  /** What is kept from commands, and what is masked in what they print. */
  readonly secrets?: SecretOptions;
  /** How much of the output stays on disk, and for how long. */
  readonly storage?: StorageOptions;
  /** What `skill://` and schemes of your own stand for. */
  readonly urls?: UrlOptions;
  /**
   * Where runs, sessions and the log live.
   *
   * @default $XDG_STATE_HOME/nacre, or ~/.local/state/nacre
   */
  readonly stateDirectory?: string;
  /**
   * The names of the other tools the model has: a command is sent to a better tool only when that exists.
   *
   * @default []
   */
  readonly toolNames?: readonly string[];
  /** How output that does not fit is made shorter before it is cut; in the profile `agent`. */
  readonly minimizer?: MinimizerOptions;
  /** What is refused before it runs. It keeps from accidents, not from attacks. */
  readonly policy?: BashPolicyOptions;
  /**
   * Asked about a command that `policy.approvals` wants a person's word for. Whether there is one or not, the question can
   * also be answered with `bash.approvals`, by this program or another; no answer is no.
   *
   * @default null
   */
  readonly approve?: Approver | null;
  /**
   * Your own code before and after a run.
   *
   * @default {}
   */
  readonly hooks?: Hooks;
  /**
   * One call at a time: later ones wait for their turn.
   *
   * @default false
   */
  readonly serial?: boolean;
  /**
   * What becomes of this instance's jobs at `close()` and when the program ends normally. Foreground runs
   * always end then; when the program is killed, all of them go on.
   *
   * @default 'keep'
   */
  readonly jobsAtExit?: 'keep' | 'stop';
  /**
   * Where commands run; `null` is this machine. A name is one of `hosts`, `sandbox`, `ssh:<destination>` and the like. One
   * that you give is yours to close.
   *
   * @default null
   */
  readonly host?: Host | string | null;
  /**
   * Hosts by name.
   *
   * @default {}
   */
  readonly hosts?: Readonly<Record<string, HostConfig>>;
  /**
   * Told when a job of this session ends: once, to one instance of the session, and with the text for the model. What it
   * returns acknowledges it: one that throws or rejects is told again after a while, and what nobody acknowledged is told
   * to the next instance of the session that asks for it. `null`: nobody is told.
   *
   * @default null
   */
  readonly onJobEnd?: ((end: JobEnd) => void | Promise<void>) | null;
}
