import type { ProcessScanner } from '../process/process-scanner.ts';
import type { ProcessTree, ProcessTreeRoot } from '../process/process-tree.ts';
import type { StreamName } from './run-files.ts';
import type { TerminalPlan, TerminalSize } from './run-terminal.ts';

/** A process as people know it. The start time makes it that process and no later one with the same pid. */
export interface ProcessName {
  readonly pid: number;
  readonly command: string;
  /** Clock ticks since boot; absent where the system does not tell. */
  readonly startTime?: number;
  /** It is not in the command's group any more: a signal to that does not reach it. */
  readonly leftGroup?: true;
}

/** How much raw output of a run stays on disk, and what happens beyond. */
export interface KeepLimits {
  /** 0 keeps nothing. */
  readonly maxBytes: number;
  /** `drop_middle`: the run goes on and the middle is dropped and counted. `stop`: the run is ended. */
  readonly onFull: 'drop_middle' | 'stop';
  /** Below this many free bytes on the disk no run starts, and a running one keeps only its tail. */
  readonly minFreeBytes: number;
}

/** What the command reads. `descriptor` passes one of ours on as it is; `open` can be sent to while the command runs. */
export type RunInput =
  | { readonly kind: 'empty' }
  | { readonly kind: 'open' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'descriptor'; readonly fd: number };

/** One of the numbers that a cluster runs a command for. */
export interface ArrayTask {
  /** The same for all of them. */
  readonly key: string;
  /** As `sbatch --array` takes it. */
  readonly spec: string;
  readonly task: number;
  readonly submits: boolean;
}

/** A plan as the engine takes it: nothing is optional, nothing is left to decide. */
export interface RunRequest {
  /** Whole and unchanged: bash gets exactly this. */
  readonly command: string;
  readonly shell: string;
  /** Absolute, and as the person wrote it: `$PWD` shows it, symbolic links included. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: RunInput;
  /** A wider sandbox than the session's; hosts that are none do not look at it. */
  readonly preset?: 'read-only' | 'workspace' | 'workspace+network';
  readonly streams: 'merged' | 'apart';
  /** A terminal instead of pipes: both streams are one, and input is what is typed. `null`: none. */
  readonly terminal: TerminalPlan | null;
  /** `null`: no limit. Held by the supervisor when nobody waits. */
  readonly timeoutMs: number | null;
  readonly graceMs: number;
  /** The limit once nobody waits any more, for what the command left behind too, counted from the start. */
  readonly jobTimeoutMs: number;
  /** `reader`: the caller reads the output as it comes. `nobody`: it goes to disk, and the caller may go. */
  readonly watcher: 'reader' | 'nobody';
  readonly keep: KeepLimits;
  /** Whether the statuses of a last pipeline are wanted; the tool asks only for commands that end in one. */
  readonly pipeStatus: boolean;
  /**
   * A shell file that is sourced before the command; `null` when there is none. Requests with the same one differ in
   * nothing that it does, so a shell that waits for its command may have read it already.
   */
  readonly baseEnvironment: string | null;
  /** Shell text of this call, run after the ground and right before the command; empty when there is none. */
  readonly preamble: string;
  /** Shell text that is run when the shell ends, unless the command sets an EXIT trap of its own; empty for none. */
  readonly atExit: string;
  /**
   * Stands in `preamble` and `atExit` for a path of the run's own, by which the shell writes itself down: to `<path>.before`
   * and `<path>.after`. Hosts that do not share our files put the path in, and bring along what was written. Left out: nothing is.
   */
  readonly shellMark?: string;
  /** Written to the run's directory as it is: session, profile, what the model asked for. Never secrets. */
  readonly asked: Readonly<Record<string, unknown>>;
  /** What a list of runs shows of it, as values of a JSON array; the supervisor adds how it ended. Left out: it is not remembered. */
  readonly listed?: string;
  /** Where the command really is, when that is not where its supervisor is. Only hosts that stand for such a place set it. */
  readonly external?: ExternalExecution;
  /** One task of an array of a cluster; one of them submits it all. Hosts that are no clusters do not look at it. */
  readonly array?: ArrayTask;
  /** Ends a start that takes long, as one on a machine that does not answer; from then on `stop` does. */
  readonly signal?: AbortSignal;
  /**
   * Raw bytes as they come, before anything is cut. The buffer is reused: copy what must stay. While a promise that it
   * gives back is pending, the stream is not read on, and the command waits when its pipe is full.
   */
  readonly onBytes?: (stream: StreamName, chunk: Buffer) => void | Promise<void>;
}

/** A shell as it wrote itself down, one byte in each character; `null`: it did not, or not to the end. */
export interface ShellDumpTexts {
  readonly before: string | null;
  readonly after: string | null;
}

/** What is known once a run is over. */
export interface RunEnd {
  readonly ending: Ending;
  readonly wallTimeMs: number;
  /** Processes of the run that stayed behind after a normal end; they go on as a job under the run's id. */
  readonly leftovers: readonly ProcessName[];
  /** Processes that outlived our attempt to end them. */
  readonly survivors: readonly ProcessName[];
  readonly pipeStatus: readonly number[] | null;
  /** By the `shellMark`; absent where there was none. */
  readonly shell?: ShellDumpTexts;
  readonly notes: readonly string[];
}

/** One command on its way. */
export interface Run {
  readonly id: string;
  /** Empty where nothing of it is on disk. */
  readonly directory: string;
  /** The client's terminal that it runs in; absent everywhere else. Such a run cannot go on when nobody waits. */
  readonly terminalId?: string;
  /** The command's own process, leader of its own group. */
  readonly pid: number;
  readonly startedAt: number;
  /** Never rejects; resolves when the command has ended, whoever still holds its output. */
  readonly ended: Promise<RunEnd>;
  /**
   * Ends the tree: TERM, grace, KILL. Resolves when it is gone or as gone as it gets. A second call cannot change the
   * reason, but may shorten the grace.
   */
  stop(reason: StopReason, graceMs?: number): Promise<void>;
  /** Exactly this signal to the command's group, nothing more. */
  signal(signal: NodeJS.Signals): void;
  /** Writes to an input that was left open. Rejects with `input_closed` or `input_full`. */
  send(bytes: string | Buffer): Promise<void>;
  /** The end of an input that was left open; what was sent is read first. */
  endInput(): Promise<void>;
  /** Another size for its terminal; nothing where it has none. */
  resize(size: TerminalSize): Promise<void>;
  /** For an exit handler, where nothing asynchronous works: whoever supervises it ends the run without us. */
  abandon(): void;
  /** Nobody waits any more: the supervisor reads on, and the caller may end. */
  release(): void;
}

/** The limits of one stream: two that are kept apart share what a run may keep. */
export function limitsPerStream({ keep, streams }: Pick<RunRequest, 'keep' | 'streams'>): KeepLimits {
  return streams === 'merged' ? keep : { ...keep, maxBytes: Math.floor(keep.maxBytes / 2) };
}

/** Why *we* ended a command. */
export type StopReason = 'timeout' | 'abort' | 'kill' | 'shutdown' | 'output_limit';

/** How a command ended. Exactly one of these is true, so exactly one can be expressed. */
export type Ending =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signaled'; readonly signal: string; readonly number: number }
  | { readonly kind: 'stopped'; readonly reason: StopReason; readonly forced: boolean }
  | { readonly kind: 'lost'; readonly why: string };

/**
 * A place that a run's command is started in by somebody else than its supervisor: inside a sandbox. The supervisor's own
 * child stands in for the command there, and ends as it does.
 */
export interface ExternalExecution {
  /** A directory of named pipes, `out`, `err` and `in`, that the supervisor opens instead of its own; `null` for none. */
  readonly pipes: string | null;
  /** A shell file: what the supervisor's child does instead of becoming the command. */
  readonly proxyProcess: string;
  /** Shell assignments that it reads. */
  readonly settings: string;
  /** Whether it passes its own input on to the command. */
  readonly forwardsInput: boolean;
  /** Who belongs to the run: its processes are not the supervisor's children. */
  readonly tree: (root: ProcessTreeRoot, surveyor: ProcessScanner) => ProcessTree;
  /** Called with the run's directory before anything is started in it. */
  readonly prepare?: (directory: string, id: string) => void;
}
