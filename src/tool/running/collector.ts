import type { RawSource } from '../../engine/output/kept/source.ts';
import { sourceOfWindow } from '../../engine/output/kept/source.ts';
import type { Mask } from '../../engine/output/mask.ts';
import { AGENT_LIMITS } from '../../engine/output/view/agent-view.ts';
import { toTailText } from '../../engine/output/view/tail-text.ts';
import { OutputWindow, type WindowSizes } from '../../engine/output/window.ts';
import type { StreamName } from '../../engine/run/files.ts';

export interface CollectorOptions extends WindowSizes {
  /** Whether the streams are shown apart; else they are one, in the order in which they came. */
  readonly apart: boolean;
  /** Whether they come apart. */
  readonly streams: 'merged' | 'apart';
}

/** The raw output of one run as it comes in. Memory does not grow with the output. */
export class Collector {
  readonly #options: CollectorOptions;
  readonly #windows: Readonly<Record<StreamName, OutputWindow>>;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#windows = { out: new OutputWindow(options), err: new OutputWindow(options) };
  }

  /** Of both streams. */
  get totalBytes(): number {
    return this.#windows.out.totalBytes + this.#windows.err.totalBytes;
  }

  write(stream: StreamName, chunk: Buffer): void {
    this.#windows[this.#options.apart ? stream : 'out'].write(chunk);
  }

  /** The end of what has come so far, as text. */
  tail(mask: Mask): string {
    const { out, err } = this.#windows;
    if (err.totalBytes === 0) return toTailText(out, { mask });
    const budgetBytes = AGENT_LIMITS.budgetBytes / 2;
    return toTailText(out, { mask, budgetBytes }) + toTailText(err, { mask, budgetBytes });
  }

  /** What came, with the help of the run's files where it was more than is held. */
  source(stream: StreamName, directory: string | null): RawSource {
    // What came apart and is shown as one stands in no file in this order.
    const isFiled = this.#options.apart === (this.#options.streams === 'apart');
    const place = directory === null || !isFiled ? null : { directory, stream };
    return sourceOfWindow(this.#windows[stream].read(), place);
  }
}
