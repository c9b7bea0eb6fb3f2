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

/** The name of a tool contract: the input schema, description and result text that a model sees. */
export type ProfileName = 'agent' | 'modes' | 'simple';

/**
 * Options of `createBash`. Every field has a default. `option-table.ts` declares how each of them is checked, its default, its
 * settings key and its variable.
 */
export interface BashOptions extends EmbedderOptions, ShellOptions {
  /**
   * The settings that apply where no option is given. `'auto'`: the settings `host`, `hosts`, `policy` and `secrets` of the user's
   * settings file and of `NACRE_*` variables, so that a user who has chosen a sandbox or rules gets them. A path: all settings of
   * that file and of `NACRE_*` variables. `false`: none.
   *
   * @default 'auto'
   */
  readonly settings?: 'auto' | false | (string & {});
  /**
   * Directory in which commands start, and the base of a relative `cwd` of a call.
   *
   * @default process.cwd()
   */
  readonly cwd?: string;
  /**
   * The contract that the model sees.
   *
   * @default 'agent'
   */
  readonly profile?: ProfileName;
  /**
   * The session that owns artifacts, jobs and the `local://` directory. Instances with the same session share them.
   *
   * @default a new session for each instance
   */
  readonly session?: string;
  /**
   * Variables of the session. They override inherited variables; the `env` of a call overrides them.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The environment that commands inherit.
   *
   * @default process.env
   */
  readonly inheritedEnv?: Readonly<Record<string, string | undefined>>;
  /**
   * Whether commands get `CI=true`. Many tools then ask no questions; a few behave differently.
   *
   * @default true
   */
  readonly ci?: boolean;
  /**
   * Absolute path of the bash to use; `null` searches for one.
   *
   * @default null
   */
  readonly shellPath?: string | null;
  /**
   * Whether calls of a caller that can show a terminal run on one by default.
   *
   * @default 'off'
   */
  readonly virtualTerminal?: 'on' | 'off';
  /**
   * Shell text that is inserted before every command, followed by a space.
   *
   * @default ''
   */
  readonly shellPrefix?: string;
  /**
   * Time limit of a command whose call sets none, in milliseconds.
   *
   * @default 300_000 in `agent`, 30_000 in `modes` and `simple`
   */
  readonly timeoutMs?: number;
  /**
   * Time limit for `mode: "slow"` of the `modes` profile, in milliseconds.
   *
   * @default 900_000
   */
  readonly slowTimeoutMs?: number;
  /**
   * Time limit of a job whose call sets none, in milliseconds.
   *
   * @default 86_400_000
   */
  readonly jobTimeoutMs?: number;
  /**
   * The longest time limit that a call of the `agent` profile may ask for, in milliseconds.
   *
   * @default 3_600_000
   */
  readonly maxTimeoutMs?: number;
  /**
   * Time between SIGTERM and SIGKILL when a command is stopped, in milliseconds, at most 15 000.
   *
   * @default 2_000; 15_000 in `modes`
   */
  readonly graceMs?: number;
  /** Background jobs. */
  readonly async?: AsyncOptions;
  /**
   * Uses a trailing `| head -n N` or `| tail -n N` as a limit of the view instead of running it, so that the exit status of the
   * command is reported and its full output is stored.
   *
   * @default false
   */
  readonly liftLimits?: boolean;
  /** Which variables are withheld from commands, and which values are masked in output. */
  readonly secrets?: SecretOptions;
  /** How much output is stored, and for how long. */
  readonly storage?: StorageOptions;
  /** Directories of `skill://` URLs and resolvers of further schemes. */
  readonly urls?: UrlOptions;
  /**
   * Directory for runs, sessions and the log.
   *
   * @default $XDG_STATE_HOME/nacre, or ~/.local/state/nacre
   */
  readonly stateDirectory?: string;
  /**
   * Names of the other tools that the model has. The interceptor suggests only these.
   *
   * @default []
   */
  readonly toolNames?: readonly string[];
  /** How much output a result shows. */
  readonly output?: OutputOptions;
  /** How output that does not fit is condensed before it is truncated; profile `agent` only. */
  readonly minimizer?: MinimizerOptions;
  /** Which commands are refused before they run. The policy prevents accidents; it is no defence against attacks. */
  readonly policy?: BashPolicyOptions;
  /**
   * Answers pending approvals of `policy.approvals`. With or without it, `bash.approvals` can answer them, in this program or
   * in another one. A command without an answer is refused.
   *
   * @default null
   */
  readonly approve?: Approver | null;
  /**
   * Functions that are called before and after a run.
   *
   * @default {}
   */
  readonly hooks?: Hooks;
  /**
   * Whether calls run one at a time.
   *
   * @default false
   */
  readonly serial?: boolean;
  /**
   * Whether the jobs of this instance continue or are stopped at `close()` and at a normal exit of the program. Foreground
   * runs are always stopped then. When the program is killed, all of them continue.
   *
   * @default 'keep'
   */
  readonly jobsAtExit?: 'keep' | 'stop';
  /**
   * Where commands run: the name of a host (`sandbox`, `ssh:<destination>`, an entry of `hosts`), a `Host`, or `null` for this
   * machine. The caller closes a `Host` that it passes.
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
   * Called when a job of this session ends, with the text for the model: once, in one instance of the session. A function that
   * throws or rejects is called again later. An end that no instance has acknowledged goes to the next instance of the session.
   *
   * @default null
   */
  readonly onJobEnd?: ((end: JobEnd) => void | Promise<void>) | null;
}

/** Options for background jobs. */
export interface AsyncOptions {
  /**
   * Whether a model may start jobs (`async: true`, `mode: "background"`).
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * The largest number of running jobs in a session.
   *
   * @default 64
   */
  readonly maxJobs?: number;
  /** Commands of the `agent` profile that run longer than their call waits. */
  readonly autoBackground?: AutoBackgroundOptions;
}

/** Options for commands that continue as jobs. */
export interface AutoBackgroundOptions {
  /**
   * Whether a command that runs longer than `afterMs` continues as a job. Jobs must be enabled. The `wait` of a call applies in
   * either case.
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * How long a call without `wait` waits, in milliseconds.
   *
   * @default 60_000
   */
  readonly afterMs?: number;
}

/** Options for secrets in the environment and in output. */
export interface SecretOptions {
  /**
   * Whether variables that look like secrets are removed from the environment of commands.
   *
   * @default true; false in `simple`
   */
  readonly withhold?: boolean;
  /**
   * Variables that are no secrets. `*` matches any text.
   *
   * @default []
   */
  readonly allow?: readonly string[];
  /**
   * Further variables that are secrets. `*` matches any text.
   *
   * @default []
   */
  readonly deny?: readonly string[];
  /**
   * Secrets that commands get. Their values are masked in output.
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

/** Limits for shown output. */
export interface OutputOptions {
  /**
   * Output that a result of the `agent` profile or of the job tool shows, in bytes, from 1 KiB to 192 KiB. Notes and the notice
   * of what is omitted come on top. The other profiles have limits of their own.
   *
   * @default 50 KiB
   */
  readonly maxBytes?: number;
}

/** Limits for stored output. */
export interface StorageOptions {
  /**
   * Output stored for one run, in bytes. 0 stores none.
   *
   * @default 1 GiB
   */
  readonly maxRunBytes?: number;
  /**
   * What happens at that limit: the middle of the output is dropped, or the run is stopped.
   *
   * @default 'drop_middle'
   */
  readonly onFull?: 'drop_middle' | 'stop';
  /**
   * Output stored for all ended runs, in bytes. The oldest are deleted first.
   *
   * @default 8 GiB
   */
  readonly maxTotalBytes?: number;
  /**
   * Time after which an ended run is deleted, in milliseconds.
   *
   * @default 7 days
   */
  readonly maxAgeMs?: number;
  /**
   * Free disk space in bytes below which no run starts, and a running one stores only the end of its output.
   *
   * @default 64 MiB
   */
  readonly minFreeBytes?: number;
}

/** Options for the state of shells. */
export interface ShellOptions {
  /**
   * Whether the directory, variables, functions, aliases, umask and shell options of a session persist between calls.
   *
   * @default true; false in `modes` and `simple`
   */
  readonly shellState?: boolean;
  /**
   * Whether such a session has the functions, aliases, options and `PATH` of the user's interactive login shell. They are
   * captured once, and again when the files they come from have changed.
   *
   * @default true
   */
  readonly shellSnapshot?: boolean;
  /**
   * Number of shells started in advance: a call that gets one does not wait for the start of bash. 0 starts none. An idle shell
   * uses about two megabytes. The shells exit with this program, and after ten minutes without a call.
   *
   * @default 2
   */
  readonly readyShells?: number;
}

/** Options for internal URLs. */
export interface UrlOptions {
  /**
   * Directories of `skill://<name>/…`.
   *
   * @default {}
   */
  readonly skills?: Readonly<Record<string, string>>;
  /**
   * Resolvers of further schemes, by scheme name.
   *
   * @default {}
   */
  readonly schemes?: Readonly<Record<string, UrlResolver>>;
}

/** Objects of the program that embeds the tool. */
export interface EmbedderOptions {
  /**
   * Terminals of the client, such as an editor. Commands that a call waits for run there, and updates contain
   * `details.terminalId`. Jobs and commands with input or with a terminal of their own do not use them, nor does any command in
   * a sandbox or on a remote host.
   *
   * @default null
   */
  readonly clientTerminals?: ClientTerminals | null;
  /**
   * An OpenTelemetry tracer: each call becomes a span below the active one. With `null`, spans go to the collector that the
   * OpenTelemetry variables in `inheritedEnv` name (such as `OTEL_EXPORTER_OTLP_ENDPOINT`), if any.
   *
   * @default null
   */
  readonly tracer?: Tracer | null;
}

/** Options with every default filled in; `cwd` and `stateDirectory` are absolute paths. */
export interface ResolvedOptions extends Required<BashOptions> {
  readonly inheritedEnv: Readonly<Record<string, string>>;
  readonly async: Required<AsyncOptions> & { readonly autoBackground: Required<AutoBackgroundOptions> };
  readonly secrets: Required<SecretOptions>;
  readonly storage: Required<StorageOptions>;
  readonly output: Required<OutputOptions>;
  readonly urls: Required<UrlOptions>;
  readonly minimizer: Required<MinimizerOptions>;
  readonly policy: BashPolicyOptions & {
    readonly enabled: boolean;
    readonly approvals: Required<ApprovalOptions>;
  };
}
