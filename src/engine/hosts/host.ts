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

/** Runs commands: on this machine, in a sandbox, on a remote host or in a client's terminal. */
export interface Host {
  readonly name: string;
  /** Whether commands see the files of this machine under the same paths. */
  readonly sharesFiles?: boolean;
  /**
   * Whether the host returns the shell state that a command dumps (`shellMark`). Session state needs this or
   * `sharesFiles`.
   */
  readonly bringsShell?: boolean;
  /** Resolves when the command has started; rejects with a `NacreError` if it could not be started. */
  start(request: RunRequest): Promise<Run>;
  /** Announces the configuration of most future commands, so that the host can start warm shells. */
  prepare?(config: () => WarmShellConfig): void;
  /** Stops foreground runs and releases all resources; jobs continue. */
  close(): Promise<void>;
}
