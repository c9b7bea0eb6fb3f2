import type { Run } from '../../engine/hosts/host.ts';
import { OutputWindow, type WindowSizes } from '../../engine/output/output-window.ts';
import { type RawOutput, rawOutputFromWindow } from '../../engine/output/raw/raw-output.ts';
import type { SecretMask } from '../../engine/output/secret-mask.ts';
import { UpdateThrottle } from '../../engine/output/update-throttle.ts';
import { AGENT_VIEW_LIMITS } from '../../engine/output/views/agent-view.ts';
import { toTailText } from '../../engine/output/views/tail-text.ts';
import type { StreamName } from '../../engine/run/run-files.ts';
import type { CallOptions, CallUpdate } from '../contract/call-options.ts';

export interface OutputCollectorOptions extends WindowSizes {
  /** Whether the profile shows the streams separately; otherwise they are merged in order of arrival. */
  readonly apart: boolean;
  /** Whether the command writes to one pipe or to two. */
  readonly streams: 'merged' | 'apart';
}

/** Collects the raw output of one run in windows of fixed size. */
export class OutputCollector {
  readonly #options: OutputCollectorOptions;
  readonly #windows: Readonly<Record<StreamName, OutputWindow>>;
  #totalBytes = 0;

  constructor(options: OutputCollectorOptions) {
    this.#options = options;
    this.#windows = { out: new OutputWindow(options), err: new OutputWindow(options) };
  }

  /** Bytes of both streams. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  write(stream: StreamName, chunk: Buffer): void {
    this.#totalBytes += chunk.length;
    this.#windows[this.#options.apart ? stream : 'out'].write(chunk);
  }

  /** Text of the last part of the output so far. */
  tail(mask: SecretMask): string {
    const { out, err } = this.#windows;
    if (err.totalBytes === 0) return toTailText(out, { mask });
    const budgetBytes = AGENT_VIEW_LIMITS.budgetBytes / 2;
    return toTailText(out, { mask, budgetBytes }) + toTailText(err, { mask, budgetBytes });
  }

  /** Both streams; bytes beyond the windows are read from the output files in `directory`. */
  read(directory: string | null): Readonly<Record<StreamName, RawOutput>> {
    const { apart, streams } = this.#options;
    const { out, err } = this.#windows;
    // Streams that came apart and are shown merged are in no file in this order.
    const files = apart === (streams === 'apart') ? directory : null;
    return {
      out: rawOutputFromWindow(out.read(), files === null ? null : { directory: files, stream: 'out' }),
      err: rawOutputFromWindow(err.read(), files === null ? null : { directory: files, stream: 'err' }),
    };
  }
}

/**
 * Calls the listeners of a call. A listener that throws is not called again, and the result has a note about
 * it.
 */
export class CallListeners {
  readonly #call: CallOptions;
  readonly #collector: OutputCollector;
  readonly #mask: SecretMask;
  readonly #updates: UpdateThrottle | null;
  readonly #problems = new Map<'onUpdate' | 'onBytes', string>();
  #runId = '';
  #details: CallUpdate['details'] = {};

  constructor(call: CallOptions, { collector, mask }: { collector: OutputCollector; mask: SecretMask }) {
    this.#call = call;
    this.#collector = collector;
    this.#mask = mask;
    this.#updates =
      call.onUpdate === undefined ? null : new UpdateThrottle({ send: () => this.#sendUpdate() });
  }

  /** Notes about listeners that failed. */
  get notes(): readonly string[] {
    return [...this.#problems].map(
      ([name, problem]) => `${name} failed and was not called again: ${problem}`,
    );
  }

  /** Reports the id of a client terminal at once, before any output. */
  started({ id, terminalId }: Pick<Run, 'id' | 'terminalId'>): void {
    this.#runId = id;
    if (terminalId === undefined) return;
    this.#details = { terminalId };
    this.#sendUpdate();
  }

  readonly onBytes = (stream: StreamName, chunk: Buffer): void | Promise<void> => {
    this.#collector.write(stream, chunk);
    this.#updates?.schedule();
    if (this.#call.onBytes !== undefined)
      return this.#guard('onBytes', () => this.#call.onBytes?.(stream, chunk));
  };

  /** Sends the last pending update. */
  end(): void {
    this.#updates?.flushAndStop();
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
      // A listener may return any value.
      return isPromiseLike(given) ? Promise.resolve(given).catch(fail) : undefined;
    } catch (cause) {
      fail(cause);
    }
  }
}

function isPromiseLike(given: unknown): given is PromiseLike<void> {
  return typeof given === 'object' && given !== null && 'then' in given;
}
