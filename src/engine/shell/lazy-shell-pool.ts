import type { WarmShellPaths } from '../run/run-directory.ts';
import type { RunRequest } from '../run/run-request.ts';
import type { WarmShellConfig } from '../run/supervisor-spec.ts';
import type { ShellPool, TakenShell } from './shell-pool.ts';

/** Delay before the pool is loaded, so that a program that runs one command does not load it. */
const LOAD_DELAY_MS = 10;

/** The shell pool of a host, loaded on demand in idle time. */
export class LazyShellPool {
  readonly #paths: WarmShellPaths;
  readonly #size: number;
  #config: (() => WarmShellConfig) | undefined;
  #pool: ShellPool | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(paths: WarmShellPaths, size: number) {
    this.#paths = paths;
    this.#size = size;
  }

  prepare(config: () => WarmShellConfig): void {
    if (this.#size === 0 || this.#isClosed) return;
    this.#config = config;
    this.#timer ??= setTimeout(() => void this.#load(), LOAD_DELAY_MS).unref();
  }

  take(request: RunRequest): TakenShell | null {
    return this.#pool?.take(request) ?? null;
  }

  takeNext(request: RunRequest): Promise<TakenShell | null> {
    return this.#pool?.takeNext(request) ?? Promise.resolve(null);
  }

  /** Reports the start of a run; the returned function reports its end. */
  runStarted(): () => void {
    const pool = this.#pool;
    pool?.runStarted();
    return () => pool?.runEnded();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#pool?.close();
  }

  async #load(): Promise<void> {
    this.#timer = undefined;
    try {
      const { ShellPool } = await import('./shell-pool.ts');
      if (this.#isClosed || this.#config === undefined) return;
      const config = this.#config();
      this.#pool ??= new ShellPool({ ...this.#paths, size: this.#size });
      this.#pool.prepare(config);
    } catch {
      // No usable bash (the first call reports it), or the installation was removed: calls then start without
      // warm shells.
    }
  }
}
