import type { Run, RunRequest } from '../run/run-request.ts';
import type { WarmShellConfig } from '../run/supervisor-spec.ts';

export type {
  KeepLimits,
  ProcessName,
  Run,
  RunEnd,
  RunInput,
  RunRequest,
  ShellDumpTexts,
} from '../run/run-request.ts';

/** A place where commands run, and the way there. */
export interface Host {
  readonly name: string;
  /** Whether commands find this machine's files under their own paths. */
  readonly sharesFiles?: boolean;
  /** Where they do not: whether it brings along what a shell writes down of itself (`shellMark`). Without either no shell state is kept. */
  readonly bringsShell?: boolean;
  /** Resolves when the command has been started; rejects with a `NacreError` if it could not be. */
  start(request: RunRequest): Promise<Run>;
  /** What most commands will be started with: a host that can do so gets shells ready. */
  prepare?(ground: () => WarmShellConfig): void;
  /** Ends foreground runs, lets jobs go on, gives back everything that was opened. */
  close(): Promise<void>;
}
