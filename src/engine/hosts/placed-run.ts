import type { StopReason } from '../run/ending.ts';
import { readPipeStatus } from '../run/record/pipe-status.ts';
import type { Run, RunEnd, WrittenShell } from '../run/request.ts';
import type { TerminalSize } from '../run/supervise/terminal.ts';

export interface PlacedRunParts {
  /** The run whose supervisor is here. */
  readonly run: Run;
  /** The command's number where it runs. */
  readonly pid: number;
  readonly pipeStatus: boolean;
  /** What its shell wrote down of itself; absent where nobody asked. */
  readonly shell?: () => WrittenShell;
  /** Exactly this signal to the command's group, where it runs. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** What is to be said of the place once the run is over. */
  readonly notes: (end: RunEnd) => readonly string[];
}

/** A run whose supervisor is here and whose command is elsewhere. */
export class PlacedRun implements Run {
  readonly id: string;
  readonly directory: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly ended: Promise<RunEnd>;
  protected readonly placed: Promise<RunEnd>;
  readonly #run: Run;
  readonly #signal: (signal: NodeJS.Signals) => void;

  constructor({ run, pid, pipeStatus, shell, signal, notes }: PlacedRunParts) {
    this.#run = run;
    this.#signal = signal;
    this.id = run.id;
    this.directory = run.directory;
    this.pid = pid;
    this.startedAt = run.startedAt;
    this.placed = run.ended.then((end) => ({
      ...end,
      pipeStatus: pipeStatus ? readPipeStatus(run.directory) : null,
      ...(shell === undefined ? {} : { shell: shell() }),
      notes: [...end.notes, ...notes(end)],
    }));
    this.ended = this.placed;
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
