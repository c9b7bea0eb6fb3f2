import type { StreamName } from '../../engine/run/run-files.ts';
import type { TerminalSize } from '../../engine/run/run-terminal.ts';
import type { Approver } from './policy-verdict.ts';
import type { CallResult } from './result.ts';

/** How a call is followed. */
export interface CallOptions {
  /** Aborting it ends the command; `call()` then rejects with a `ToolAbortError` that holds the partial result. */
  readonly signal?: AbortSignal;
  /** Aborting it ends the command at once, without the grace: the second Ctrl-C of a person. */
  readonly killSignal?: AbortSignal;
  /** Aborting it ends the wait and not the command, which goes on as a job: the call returns what there is. */
  readonly yieldSignal?: AbortSignal;
  /** The end of the output so far, at most every 50 ms while the command runs; the last one is always sent. */
  readonly onUpdate?: (update: CallUpdate) => void;
  /**
   * Every raw byte as it comes. The buffer is used again: copy what must stay. While a promise that it
   * gives back is pending, the stream is not read on.
   */
  readonly onBytes?: (stream: StreamName, chunk: Buffer) => void | Promise<void>;
  /**
   * One pipe for both streams, or one each.
   *
   * @default the profile's way
   */
  readonly streams?: 'merged' | 'apart';
  /** The caller can show a terminal: who asks for one gets it. What it draws comes with `onBytes`. */
  readonly terminal?: TerminalView;
  /** A descriptor of this process that the command reads from; the input's own `stdin` goes before it. */
  readonly stdin?: { readonly fd: number };
  /** The span that this call belongs to, as W3C Trace Context writes it; a `tracer` knows it by itself. */
  readonly traceparent?: string;
  /** What goes with it. */
  readonly tracestate?: string;
  /** Asked about this call, in place of the instance's own `approve`: a surface that knows who called. */
  readonly approve?: Approver;
}

/** A place where a terminal is shown: its size, and who wants to type. */
export interface TerminalView extends TerminalSize {
  /** Called once, when the command is on its way on a terminal; never for one that has none. */
  readonly onStart?: (terminal: LiveTerminal) => void;
}

/** The terminal of a command that runs. */
export interface LiveTerminal {
  readonly runId: string;
  /** What is typed, as a terminal sends it. */
  send(bytes: string | Buffer): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
}

/** What is known of a command that still runs. */
export interface CallUpdate extends Pick<CallResult, 'content' | 'details'> {
  readonly runId: string;
}
