import { detach } from '../../text/detach.ts';
import { takeEnd, takeStart } from '../../text/utf8.ts';
import type { Entry } from './entry.ts';
import type { LineSink } from './gather.ts';

export interface TextEndsLimits {
  /** Up to this many bytes the text is kept whole. */
  readonly wholeBytes: number;
  /** Beyond that, so many of each end. */
  readonly endBytes: number;
}

/** Lines put together again: all of their text, or, where it is too much, both ends. */
export type JoinedText =
  | { readonly kind: 'whole'; readonly text: string }
  | {
      readonly kind: 'ends';
      readonly first: string;
      readonly last: string;
      /** `null` when part of it was never seen. */
      readonly bytes: number | null;
    };

/** Puts lines together in bounded memory. */
export class TextEnds implements LineSink {
  readonly #limits: TextEndsLimits;
  readonly #start: string[] = [];
  #end = '';
  #bytes = 0;
  #seen = true;
  /** Whether something is missing before what comes next. */
  #broken = false;

  constructor(limits: TextEndsLimits) {
    this.#limits = limits;
  }

  add({ line, ended }: Entry): void {
    this.#push(line.start);
    if (line.missing !== null) {
      if (line.missing.bytes === null || line.missing.characters === null) this.#seen = false;
      this.#bytes += line.missing.bytes ?? 0;
      this.#broken = true;
    }
    this.#push(ended ? `${line.end}\n` : line.end);
  }

  breakOff(): void {
    this.#seen = false;
    this.#broken = true;
  }

  finish(): JoinedText {
    const { wholeBytes, endBytes } = this.#limits;
    const start = this.#start.join('');
    if (!this.#broken && this.#bytes <= wholeBytes) return { kind: 'whole', text: detach(start) };
    const bytes = this.#seen ? this.#bytes : null;
    return { kind: 'ends', first: takeStart(start, endBytes), last: takeEnd(this.#end, endBytes), bytes };
  }

  #push(text: string): void {
    if (text === '') return;
    if (!this.#broken && this.#bytes <= this.#limits.wholeBytes) this.#start.push(text);
    this.#bytes += Buffer.byteLength(text);
    this.#end += text;
    // Not with every line: that would copy the end again and again.
    if (this.#end.length > 16 * this.#limits.endBytes) this.#end = this.#end.slice(-this.#limits.endBytes);
  }
}
