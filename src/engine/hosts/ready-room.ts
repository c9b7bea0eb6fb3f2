import type { ReadyPlace } from '../run/record/ready-directory.ts';
import type { RunRequest } from '../run/request.ts';
import type { ReadyGround } from '../run/supervise/spec.ts';
import type { ReadyShells, Taken } from '../shell/ready/pool.ts';

/** A program that runs one command and ends has no use for shells that wait. */
const LOAD_MS = 10;

/** A host's ready shells: nothing is loaded or started before there is a moment for it. */
export class ReadyRoom {
  readonly #place: ReadyPlace;
  readonly #size: number;
  #ground: (() => ReadyGround) | undefined;
  #shells: ReadyShells | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(place: ReadyPlace, size: number) {
    this.#place = place;
    this.#size = size;
  }

  prepare(ground: () => ReadyGround): void {
    if (this.#size === 0 || this.#isClosed) return;
    this.#ground = ground;
    this.#timer ??= setTimeout(() => void this.#load(), LOAD_MS).unref();
  }

  take(request: RunRequest): Taken | null {
    return this.#shells?.take(request) ?? null;
  }

  /** For a run that found none. */
  next(request: RunRequest): Promise<Taken | null> {
    return this.#shells?.next(request) ?? Promise.resolve(null);
  }

  /** A run begins. What is given back is to be called at its end. */
  begin(): () => void {
    const shells = this.#shells;
    shells?.begin();
    return () => shells?.end();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#shells?.close();
  }

  async #load(): Promise<void> {
    this.#timer = undefined;
    try {
      const { ReadyShells } = await import('../shell/ready/pool.ts');
      if (this.#isClosed || this.#ground === undefined) return;
      const ground = this.#ground();
      this.#shells ??= new ReadyShells({ ...this.#place, size: this.#size });
      this.#shells.prepare(ground);
    } catch {
      // No bash, or one that is none: the first call says so. Or this program's files are gone: calls start as ever.
    }
  }
}
