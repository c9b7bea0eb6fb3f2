import { rm } from 'node:fs/promises';
import { readPipeStatus } from '../run/exit-record.ts';
import type { Run, RunEnd, RunRequest, ShellDumpTexts, StopReason } from '../run/run-request.ts';
import type { TerminalSize } from '../run/run-terminal.ts';

export interface ExternalRunParts {
  /** The run whose supervisor is here. */
  readonly run: Run;
  /** The command's number where it runs. */
  readonly pid: number;
  readonly pipeStatus: boolean;
  /** What its shell wrote down of itself; absent where nobody asked. */
  readonly shell?: () => ShellDumpTexts;
  /** Exactly this signal to the command's group, where it runs. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** What is to be said of the place once the run is over. */
  readonly notes: (end: RunEnd) => readonly string[];
}

/** A run whose supervisor is here and whose command is elsewhere. */
export class ExternalRun implements Run {
  readonly id: string;
  readonly directory: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly ended: Promise<RunEnd>;
  protected readonly externalEnd: Promise<RunEnd>;
  readonly #run: Run;
  readonly #signal: (signal: NodeJS.Signals) => void;

  constructor({ run, pid, pipeStatus, shell, signal, notes }: ExternalRunParts) {
    this.#run = run;
    this.#signal = signal;
    this.id = run.id;
    this.directory = run.directory;
    this.pid = pid;
    this.startedAt = run.startedAt;
    this.externalEnd = run.ended.then((end) => ({
      ...end,
      pipeStatus: pipeStatus ? readPipeStatus(run.directory) : null,
      ...(shell === undefined ? {} : { shell: shell() }),
      notes: [...end.notes, ...notes(end)],
    }));
    this.ended = this.externalEnd;
  }

  async stop(reason: StopReason, graceMs?: number): Promise<void> {
    await this.#run.stop(reason, graceMs);
  }

  signal(signal: NodeJS.Signals): void {
    this.#signal(signal);
  }

  send(bytes: string | Buffer): Promise<void> {
    return this.#run.send(bytes);
  }

  endInput(): Promise<void> {
    return this.#run.endInput();
  }

  resize(size: TerminalSize): Promise<void> {
    return this.#run.resize(size);
  }

  abandon(): void {
    this.#run.abandon();
  }

  release(): void {
    this.#run.release();
  }
}

/** More than this is not taken from another place: no shell that anybody works in is so large. */
export const MAX_SHELL_DUMP_BYTES: number = 8 * 1024 * 1024;

/** The request with a path in the place of its mark. */
export function insertShellDumpPath(request: RunRequest, path: string): RunRequest {
  const { shellMark, preamble, atExit } = request;
  if (shellMark === undefined) return request;
  return {
    ...request,
    preamble: preamble.replaceAll(shellMark, path),
    atExit: atExit.replaceAll(shellMark, path),
  };
}

/** A run that never began leaves nothing. Its supervisor may still be writing its last words there. */
export async function removeRunDirectory(directory: string): Promise<void> {
  try {
    await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 10 });
  } catch {
    // What is left of it goes when its time is over.
  }
}
