import type { ClientTerminals } from '../../engine/hosts/client-terminal-run.ts';
import type { Host } from '../../engine/hosts/host.ts';
import type { Hooks } from '../contract/hooks.ts';
import type { JobEnd } from '../contract/job.ts';
import type { ApprovalOptions, BashPolicyOptions } from '../contract/policy-options.ts';
import type { Approver } from '../contract/policy-verdict.ts';
import type { Tracer } from '../contract/tracer.ts';
import type { UrlResolver } from '../contract/url-scheme.ts';
import type { HostConfig } from './host-config.ts';
import type { MinimizerOptions } from './minimizer-options.ts';

/** One model-facing contract of the tool. */
export type ProfileName = 'agent' | 'modes' | 'simple';

/** Options of `createBash`. Every field has a default. */
export interface BashOptions extends EmbedderOptions, ShellOptions {
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

export interface AsyncOptions {
  /**
   * Whether a model may start jobs (`async: true`, `mode: "background"`).
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * How many jobs of a session may live at once.
   *
   * @default 64
   */
  readonly maxJobs?: number;
  /** Calls of the `agent` profile that outlive their wait. */
  readonly autoBackground?: AutoBackgroundOptions;
}

export interface AutoBackgroundOptions {
  /**
   * Whether a call that outlives `afterMs` returns what there is, and its command goes on as a job. Jobs must be on
   * for it; a call's own `wait` counts either way.
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * How long a call waits that does not say it, in milliseconds.
   *
   * @default 60_000
   */
  readonly afterMs?: number;
}

export interface SecretOptions {
  /**
   * Whether variables that look like secrets are kept from commands.
   *
   * @default true; false in `simple`
   */
  readonly withhold?: boolean;
  /**
   * Names that are no secrets, whatever they look like.
   *
   * @default []
   */
  readonly allow?: readonly string[];
  /**
   * Names that are secrets, whatever they look like.
   *
   * @default []
   */
  readonly deny?: readonly string[];
  /**
   * Secrets that commands get all the same; their values stay masked.
   *
   * @default []
   */
  readonly grants?: readonly string[];
  /**
   * Further values that are masked in views and in the log.
   *
   * @default []
   */
  readonly mask?: readonly string[];
}

export interface StorageOptions {
  /**
   * Raw output kept of one run, in bytes. 0 keeps nothing.
   *
   * @default 1 GiB
   */
  readonly maxRunBytes?: number;
  /**
   * Beyond it the middle is dropped and the run goes on, or the run is ended.
   *
   * @default 'drop_middle'
   */
  readonly onFull?: 'drop_middle' | 'stop';
  /**
   * Raw output of all ended runs together, in bytes; the oldest go first.
   *
   * @default 8 GiB
   */
  readonly maxTotalBytes?: number;
  /**
   * How long an ended run is kept, in milliseconds.
   *
   * @default 7 days
   */
  readonly maxAgeMs?: number;
  /**
   * Below this many free bytes on the disk no run starts, and a running one keeps only its tail.
   *
   * @default 64 MiB
   */
  readonly minFreeBytes?: number;
}

/** What a new shell knows of the one before it, and of the user's own. */
export interface ShellOptions {
  /**
   * Whether what a command changes in its shell is there in the next call of the session: directory, variables,
   * functions, aliases, umask and options.
   *
   * @default true; false in `modes` and `simple`
   */
  readonly shellState?: boolean;
  /**
   * Whether commands of a session that keeps its shell have the user's own functions, aliases, options and `PATH`, as an
   * interactive login shell has them. They are taken once, and again when the files they come from have changed.
   *
   * @default true
   */
  readonly shellSnapshot?: boolean;
  /**
   * How many shells are kept ready for the next commands: a call that finds one is spared the start of bash. 0 keeps none.
   * They cost about two megabytes each while they wait, end with this program however it ends, and go after ten
   * minutes without a call.
   *
   * @default 2
   */
  readonly readyShells?: number;
}

export interface UrlOptions {
  /**
   * `skill://<name>/…` → a folder.
   *
   * @default {}
   */
  readonly skills?: Readonly<Record<string, string>>;
  /**
   * Schemes of your own, by name.
   *
   * @default {}
   */
  readonly schemes?: Readonly<Record<string, UrlResolver>>;
}

/** What the program around the tool brings with it. */
export interface EmbedderOptions {
  /**
   * Terminals of the program that the person looks at, such as an editor: commands that are waited for run there, and updates
   * carry `details.terminalId`. Jobs, and commands that are given input or a terminal of their own, run as they would without;
   * so does everything where commands run in a sandbox or on another machine. `null`: there are none.
   *
   * @default null
   */
  readonly clientTerminals?: ClientTerminals | null;
  /**
   * A tracer of OpenTelemetry: each call becomes a span below the active one. With `null`, spans go to the collector that the
   * variables of OpenTelemetry in `inheritedEnv` name (`OTEL_EXPORTER_OTLP_ENDPOINT` and its kin), if they name one.
   *
   * @default null
   */
  readonly tracer?: Tracer | null;
}

/** Options after validation: nothing is optional any more. */
export interface ResolvedOptions extends Required<BashOptions> {
  /** Absolute. */
  readonly cwd: string;
  readonly profile: ProfileName;
  readonly inheritedEnv: Readonly<Record<string, string>>;
  readonly async: Required<AsyncOptions> & { readonly autoBackground: Required<AutoBackgroundOptions> };
  readonly secrets: Required<SecretOptions>;
  readonly storage: Required<StorageOptions>;
  readonly urls: Required<UrlOptions>;
  readonly minimizer: Required<MinimizerOptions>;
  readonly policy: BashPolicyOptions & {
    readonly enabled: boolean;
    readonly approvals: Required<ApprovalOptions>;
  };
  /** Absolute. */
  readonly stateDirectory: string;
  readonly hooks: Hooks;
  readonly host: Host | string | null;
}
