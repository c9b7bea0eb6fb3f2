import type { WarmShellPaths } from '../run/run-directory.ts';
import type { RunRequest } from '../run/run-request.ts';
import type { WarmShellConfig } from '../run/supervisor-spec.ts';
import type { ShellPool, TakenShell } from './shell-pool.ts';

/** Delay before the pool is loaded, so that a program that runs one command does not load it. */
const LOAD_DELAY_MS = 10;

/** The shell pool of a host, loaded on demand in idle time. */
export class LazyShellPool {
  readonly #place: WarmShellPaths;
  readonly #size: number;
  #ground: (() => WarmShellConfig) | undefined;
  #shells: ShellPool | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(place: WarmShellPaths, size: number) {
    this.#place = place;
    this.#size = size;
  }

  prepare(ground: () => WarmShellConfig): void {
    if (this.#size === 0 || this.#isClosed) return;
    this.#ground = ground;
    this.#timer ??= setTimeout(() => void this.#load(), LOAD_DELAY_MS).unref();
  }

  take(request: RunRequest): TakenShell | null {
    return this.#shells?.take(request) ?? null;
  }

  takeNext(request: RunRequest): Promise<TakenShell | null> {
    return this.#shells?.takeNext(request) ?? Promise.resolve(null);
  }

  /** Reports the start of a run; the returned function reports its end. */
  runStarted(): () => void {
    const shells = this.#shells;
    shells?.runStarted();
    return () => shells?.runEnded();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#shells?.close();
  }

  async #load(): Promise<void> {
    this.#timer = undefined;
    try {
      const { ShellPool } = await import('./shell-pool.ts');
      if (this.#isClosed || this.#ground === undefined) return;
      const ground = this.#ground();
      this.#shells ??= new ShellPool({ ...this.#place, size: this.#size });
      this.#shells.prepare(ground);
    } catch {
      // No usable bash (the first call reports it), or the installation was removed: calls then start without
      // warm shells.
    }
  }
}
