import { rm } from 'node:fs/promises';
import { readPipeStatus } from '../run/exit-record.ts';
import type { Run, RunEnd, RunRequest, ShellDumpTexts, StopReason } from '../run/run-request.ts';
import type { TerminalSize } from '../run/run-terminal.ts';
import { shellQuote } from '../text/shell-quote.ts';

interface ExternalRunParts {
  /** The local run: its supervisor and the proxy process. */
  readonly run: Run;
  /** The pid of the command inside the sandbox or on the remote host. */
  readonly pid: number;
  readonly pipeStatus: boolean;
  /** Reads the state that the shell dumped; absent if none was requested. */
  readonly shell?: () => ShellDumpTexts;
  /** Sends a signal to the process group of the command. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Notes of the host about the finished run. */
  readonly notes: (end: RunEnd) => readonly string[];
  /** Completes the result with facts that only the host knows. */
  readonly complete?: (end: RunEnd) => RunEnd;
}

/** A run with a local supervisor and a command in a sandbox or on a remote host. */
export class ExternalRun implements Run {
  readonly id: string;
  readonly directory: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly ended: Promise<RunEnd>;
  readonly #run: Run;
  readonly #signal: (signal: NodeJS.Signals) => void;

  constructor({ run, pid, pipeStatus, shell, signal, notes, complete }: ExternalRunParts) {
    this.#run = run;
    this.#signal = signal;
    this.id = run.id;
    this.directory = run.directory;
    this.pid = pid;
    this.startedAt = run.startedAt;
    this.ended = run.ended.then((end) => {
      const completed = complete?.(end) ?? end;
      return {
        ...completed,
        pipeStatus: pipeStatus ? readPipeStatus(run.directory) : null,
        ...(shell === undefined ? {} : { shell: shell() }),
        notes: [...end.notes, ...notes(end)],
      };
    });
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

/** Limit for a shell dump from a sandbox or a remote host, which may send anything. */
export const MAX_SHELL_DUMP_BYTES: number = 8 * 1024 * 1024;

/** Replaces the placeholder for the dump file (`shellMark`) in the preamble and the exit code. */
export function insertShellDumpPath(request: RunRequest, path: string): RunRequest {
  const { shellMark, preamble, atExit } = request;
  if (shellMark === undefined) return request;
  return {
    ...request,
    preamble: preamble.replaceAll(shellMark, path),
    atExit: atExit.replaceAll(shellMark, path),
  };
}

/** Renders the variables of a command as shell text; names that bash cannot express are left out. */
export function renderCommandExports(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}=${shellQuote(value)}`)
    .join('\n');
}

/** Removes the directory of a run that never started. Retries, because its supervisor may still write there. */
export async function removeRunDirectory(directory: string): Promise<void> {
  try {
    await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 10 });
  } catch {
    // Best effort: the sweep removes the rest later.
  }
}
