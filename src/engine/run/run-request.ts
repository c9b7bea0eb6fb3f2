import type { ProcessScanner } from '../process/process-scanner.ts';
import type { ProcessTree, ProcessTreeRoot } from '../process/process-tree.ts';
import type { StreamName } from './run-files.ts';
import type { TerminalPlan, TerminalSize } from './run-terminal.ts';

/** A process for display. The start time distinguishes it from a later process with the same pid. */
export interface ProcessName {
  readonly pid: number;
  readonly command: string;
  /** Clock ticks since boot; absent where it is unknown. */
  readonly startTime?: number;
  /** The process left the command's group, so a signal to the group does not reach it. */
  readonly leftGroup?: true;
}

/** How much raw output of a run is kept on disk, and what happens beyond. */
export interface KeepLimits {
  /** 0 keeps nothing. */
  readonly maxBytes: number;
  /** `drop_middle`: the run continues and the middle is dropped and counted. `stop`: the run is stopped. */
  readonly onFull: 'drop_middle' | 'stop';
  /** Below this many free bytes on the disk no run starts, and a running one keeps only its tail. */
  readonly minFreeBytes: number;
}

/**
 * The command's stdin. `descriptor` passes on one of our descriptors; `open` can be written to while the
 * command runs.
 */
export type RunInput =
  | { readonly kind: 'empty' }
  | { readonly kind: 'open' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'descriptor'; readonly fd: number };

/** One task of a job array on a cluster. */
export interface ArrayTask {
  /** The same for all tasks of the array. */
  readonly key: string;
  /** As `sbatch --array` takes it. */
  readonly spec: string;
  readonly task: number;
  readonly submits: boolean;
}

/** A complete request to run a command: every decision has been made. */
export interface RunRequest {
  /** Complete and unchanged: bash gets exactly this text. */
  readonly command: string;
  readonly shell: string;
  /** Absolute, and as the user wrote it: `$PWD` shows it, symbolic links included. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: RunInput;
  /** A wider sandbox than the session's; hosts without a sandbox ignore it. */
  readonly preset?: 'read-only' | 'workspace' | 'workspace+network';
  readonly streams: 'merged' | 'apart';
  /** A terminal instead of pipes, which merges both streams; `null` for none. */
  readonly terminal: TerminalPlan | null;
  /** `null`: no limit. The supervisor enforces it when no caller waits. */
  readonly timeoutMs: number | null;
  readonly graceMs: number;
  /** The limit once no caller waits, including leftover processes; counted from the start. */
  readonly jobTimeoutMs: number;
  /**
   * `reader`: the caller reads the output as it comes. `nobody`: the output goes to disk, and the caller may
   * exit.
   */
  readonly watcher: 'reader' | 'nobody';
  readonly keep: KeepLimits;
  /**
   * Whether the statuses of the last pipeline are recorded; the tool asks for them only for commands that end
   * in a pipeline.
   */
  readonly pipeStatus: boolean;
  /**
   * A shell file that is sourced before the command; `null` for none. A warm shell may have sourced it in
   * advance, so requests with the same file must not depend on anything else in it.
   */
  readonly baseEnvironment: string | null;
  /** Shell text of this call, run after the base environment and right before the command; empty for none. */
  readonly preamble: string;
  /** Shell text that runs when the shell exits, unless the command sets its own EXIT trap; empty for none. */
  readonly atExit: string;
  /**
   * Placeholder in `preamble` and `atExit` for the path to which the shell dumps its state (`<path>.before`,
   * `<path>.after`). Hosts that do not share our files replace it and return the dumps. Absent: no dump is
   * returned.
   */
  readonly shellMark?: string;
  /** Written to the run directory as it is: session, profile, the model's input. Never secrets. */
  readonly asked: Readonly<Record<string, unknown>>;
  /**
   * The columns of the run index, as values of a JSON array; the supervisor adds the exit record. Absent: the
   * run is not indexed.
   */
  readonly listed?: string;
  /** Where the command is, when the supervisor is not its parent. Only hosts such as the sandbox set it. */
  readonly external?: ExternalExecution;
  /** One task of a job array; the first task submits the array. Only clusters use it. */
  readonly array?: ArrayTask;
  /** Aborts a start that takes long, as on a host that does not answer; afterwards `stop` is used. */
  readonly signal?: AbortSignal;
  /**
   * Raw bytes as they come, before any truncation. The buffer is reused: copy what must stay. While a returned
   * promise is pending the stream is not read, and the command waits when its pipe is full.
   */
  readonly onBytes?: (stream: StreamName, chunk: Buffer) => void | Promise<void>;
}

/** The dumps of a shell's state, one byte per character; `null` for a missing or incomplete dump. */
export interface ShellDumpTexts {
  readonly before: string | null;
  readonly after: string | null;
}

/** The result of a run. */
export interface RunEnd {
  readonly ending: Ending;
  readonly wallTimeMs: number;
  /** Processes of the run that are alive after a normal end; they continue as a job under the run's id. */
  readonly leftovers: readonly ProcessName[];
  /** Processes that could not be stopped. */
  readonly survivors: readonly ProcessName[];
  readonly pipeStatus: readonly number[] | null;
  /** By the `shellMark`; absent without one. */
  readonly shell?: ShellDumpTexts;
  readonly notes: readonly string[];
}

/** A command that has been started. */
export interface Run {
  readonly id: string;
  /** Empty when the run has no directory on disk. */
  readonly directory: string;
  /** The client's terminal that it runs in; absent everywhere else. Such a run cannot become a job. */
  readonly terminalId?: string;
  /** The command's process, leader of its own group. */
  readonly pid: number;
  readonly startedAt: number;
  /** Never rejects; resolves when the command has ended, even while other processes hold its output open. */
  readonly ended: Promise<RunEnd>;
  /**
   * Stops the tree: SIGTERM, grace period, SIGKILL. Resolves when it is gone or the survivors are known. A
   * second call cannot change the reason, but may shorten the grace period.
   */
  stop(reason: StopReason, graceMs?: number): Promise<void>;
  /** Sends exactly this signal to the command's group. */
  signal(signal: NodeJS.Signals): void;
  /** Writes to an open input. Rejects with `input_closed` or `input_full`. */
  send(bytes: string | Buffer): Promise<void>;
  /** Closes an open input; the command reads what was sent before. */
  endInput(): Promise<void>;
  /** Resizes the terminal; does nothing without one. */
  resize(size: TerminalSize): Promise<void>;
  /** For an exit handler, where nothing asynchronous works: the supervisor stops the run by itself. */
  abandon(): void;
  /** Detaches the caller: the supervisor reads the output, and the caller may exit. */
  release(): void;
}

/** The limits of one stream: two separate streams share the limits of the run. */
export function limitsPerStream({ keep, streams }: Pick<RunRequest, 'keep' | 'streams'>): KeepLimits {
  return streams === 'merged' ? keep : { ...keep, maxBytes: Math.floor(keep.maxBytes / 2) };
}

/** Why nacre stopped a command. */
export type StopReason = 'timeout' | 'abort' | 'kill' | 'shutdown' | 'output_limit';

/** How a command ended; exactly one of these is true. */
export type Ending =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signaled'; readonly signal: string; readonly number: number }
  | { readonly kind: 'stopped'; readonly reason: StopReason; readonly forced: boolean }
  | { readonly kind: 'lost'; readonly why: string };

/**
 * How to run a command that is not a child of its supervisor, as inside a sandbox. A proxy process is the
 * supervisor's child and exits as the command does.
 */
export interface ExternalExecution {
  /**
   * A directory with the named pipes `out`, `err` and `in`, which the supervisor opens instead of its own;
   * `null` for none.
   */
  readonly pipes: string | null;
  /** A shell file that the supervisor's child runs instead of the command. */
  readonly proxyProcess: string;
  /** Shell assignments that the proxy process reads. */
  readonly settings: string;
  /** Whether the proxy process forwards its input to the command. */
  readonly forwardsInput: boolean;
  /** Finds the processes of the run, which are not children of the supervisor. */
  readonly tree: (root: ProcessTreeRoot, scanner: ProcessScanner) => ProcessTree;
  /** Called with the run directory before anything is started in it. */
  readonly prepare?: (directory: string, id: string) => void;
}
