import type { Run } from '../../engine/hosts/host.ts';
import type { Mask } from '../../engine/output/mask.ts';
import { Updates } from '../../engine/output/updates.ts';
import type { StreamName } from '../../engine/run/files.ts';
import type { CallOptions, CallUpdate } from '../call-options.ts';
import type { Collector } from './collector.ts';

/**
 * The caller's own callbacks. One that throws is not called again, and the result says so: its bug must
 * not end the command, and not go unseen either.
 */
export class Listeners {
  readonly #call: CallOptions;
  readonly #collector: Collector;
  readonly #mask: Mask;
  readonly #updates: Updates;
  readonly #problems = new Map<'onUpdate' | 'onBytes', string>();
  #runId = '';
  #details: CallUpdate['details'] = {};

  constructor(call: CallOptions, { collector, mask }: { collector: Collector; mask: Mask }) {
    this.#call = call;
    this.#collector = collector;
    this.#mask = mask;
    this.#updates = new Updates({ send: () => this.#sendUpdate() });
  }

  /** What to say about callbacks that failed. */
  get notes(): readonly string[] {
    return [...this.#problems].map(
      ([name, problem]) => `${name} failed and was not called again: ${problem}`,
    );
  }

  /** A terminal of the client is named at once: whoever shows it need not wait for output. */
  started({ id, terminalId }: Pick<Run, 'id' | 'terminalId'>): void {
    this.#runId = id;
    if (terminalId === undefined) return;
    this.#details = { terminalId };
    this.#sendUpdate();
  }

  readonly onBytes = (stream: StreamName, chunk: Buffer): void | Promise<void> => {
    this.#collector.write(stream, chunk);
    if (this.#call.onUpdate !== undefined) this.#updates.touch();
    return this.#guard('onBytes', () => this.#call.onBytes?.(stream, chunk));
  };

  /** No more output will come: what is unsaid is said now. */
  end(): void {
    this.#updates.end();
  }

  #sendUpdate(): void {
    const text = this.#collector.tail(this.#mask);
    const update = { runId: this.#runId, content: [{ type: 'text' as const, text }], details: this.#details };
    void this.#guard('onUpdate', () => this.#call.onUpdate?.(update));
  }

  #guard(name: 'onUpdate' | 'onBytes', callback: () => void | Promise<void>): void | Promise<void> {
    if (this.#problems.has(name)) return;
    const fail = (cause: unknown): void => {
      this.#problems.set(name, cause instanceof Error ? cause.message : String(cause));
    };
    try {
      const given: unknown = callback();
      // Whoever hands over a function of its own may give back anything.
      return isPromise(given) ? Promise.resolve(given).catch(fail) : undefined;
    } catch (cause) {
      fail(cause);
    }
  }
}

function isPromise(given: unknown): given is PromiseLike<void> {
  return typeof given === 'object' && given !== null && 'then' in given;
}
