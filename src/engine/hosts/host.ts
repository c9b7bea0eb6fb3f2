import type { Run, RunRequest } from '../run/request.ts';
import type { ReadyGround } from '../run/supervise/spec.ts';

export type { KeepLimits, ProcessName, Run, RunEnd, RunInput, RunRequest } from '../run/request.ts';

/** A place where commands run, and the way there. */
export interface Host {
  readonly name: string;
  /** Whether commands find this machine's files under their own paths; without it no shell state is kept. */
  readonly sharesFiles?: boolean;
  /** Resolves when the command has been started; rejects with a `NacreError` if it could not be. */
  start(request: RunRequest): Promise<Run>;
  /** What most commands will be started with: a host that can do so gets shells ready. */
  prepare?(ground: () => ReadyGround): void;
  /** Ends foreground runs, lets jobs go on, gives back everything that was opened. */
  close(): Promise<void>;
}
