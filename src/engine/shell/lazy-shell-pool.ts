import type { WarmShellPaths } from '../run/run-directory.ts';
import type { RunRequest } from '../run/run-request.ts';
import type { WarmShellConfig } from '../run/supervisor-spec.ts';
import type { ShellPool, TakenShell } from './shell-pool.ts';

/** A program that runs one command and ends has no use for shells that wait. */
const LOAD_DELAY_MS = 10;

/** A host's ready shells: nothing is loaded or started before there is a moment for it. */
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

  /** For a run that found none. */
  takeNext(request: RunRequest): Promise<TakenShell | null> {
    return this.#shells?.takeNext(request) ?? Promise.resolve(null);
  }

  /** A run begins. What is given back is to be called at its end. */
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
      // No bash, or one that is none: the first call says so. Or this program's files are gone: calls start as ever.
    }
  }
}
