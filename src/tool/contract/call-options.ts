import type { StreamName } from '../../engine/run/run-files.ts';
import type { TerminalSize } from '../../engine/run/run-terminal.ts';
import type { Approver } from './policy-verdict.ts';
import type { CallResult } from './result.ts';

/** Options of one call: signals, listeners and streams. */
export interface CallOptions {
  /**
   * Aborting it stops the command; `call()` then rejects with a `ToolAbortError` that has the partial result.
   */
  readonly signal?: AbortSignal;
  /** Aborting it kills the command without a grace period, like a second Ctrl-C. */
  readonly killSignal?: AbortSignal;
  /** Aborting it ends the wait: the command continues as a job, and the call returns the output so far. */
  readonly yieldSignal?: AbortSignal;
  /**
   * Gets the last part of the output, at most every 50 ms while the command runs. The last update is always
   * sent.
   */
  readonly onUpdate?: (update: CallUpdate) => void;
  /**
   * Gets every raw chunk of output. The buffer is reused, so copy what you keep. While a returned promise is
   * pending, the stream is not read.
   */
  readonly onBytes?: (stream: StreamName, chunk: Buffer) => void | Promise<void>;
  /**
   * One pipe for both streams, or one pipe for each.
   *
   * @default the profile's setting
   */
  readonly streams?: 'merged' | 'apart';
  /** A terminal view of the caller, which makes `pty` available. `onBytes` gets the terminal output. */
  readonly terminal?: TerminalView;
  /** File descriptor of this process for the command's standard input. The input field `stdin` overrides it. */
  readonly stdin?: { readonly fd: number };
  /** Parent span of this call in W3C Trace Context format. A configured `tracer` finds its parent itself. */
  readonly traceparent?: string;
  /** W3C `tracestate` that belongs to `traceparent`. */
  readonly tracestate?: string;
  /** Answers approval requests of this call instead of the instance's `approve`. */
  readonly approve?: Approver;
}

/** A terminal view: its size and a callback for its input. */
export interface TerminalView extends TerminalSize {
  /** Called once when the command has started on a terminal. */
  readonly onStart?: (terminal: LiveTerminal) => void;
}

/** The terminal of a running command. */
export interface LiveTerminal {
  readonly runId: string;
  /** Sends input bytes as a terminal encodes them. */
  send(bytes: string | Buffer): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
}

/** Progress of a running command. */
export interface CallUpdate extends Pick<CallResult, 'content' | 'details'> {
  readonly runId: string;
}
