import type { Line } from '../../text/line-reader.ts';
import type { Mask } from '../mask.ts';
import { clipLine, endOnly, maskLine, startOnly } from '../view/shown-line.ts';
import type { ReadLimits } from './reading.ts';

/** One line is never wider than this. */
export const PAGE_COLUMNS = 10_000;

interface PageLine {
  readonly number: number;
  readonly text: string;
  readonly bytes: number;
}

/** What of a line is gone for good. */
export interface LineCut {
  readonly start: boolean;
  readonly end: boolean;
}

/** Lines as they are given out, up to a size: the first that fit, or the last. */
export class Page {
  readonly mask: Mask;
  readonly #maxBytes: number;
  readonly #keep: 'first' | 'last';
  readonly #lines: PageLine[] = [];
  /** Lines before this one were given up for later ones. */
  #start = 0;
  #bytes = 0;
  #leftOut: number | null = null;

  constructor({ maxBytes, mask }: ReadLimits, keep: 'first' | 'last') {
    this.mask = mask;
    this.#maxBytes = maxBytes;
    this.#keep = keep;
  }

  get numbers(): number[] {
    return this.#shown().map(({ number }) => number);
  }

  get text(): string {
    return this.#shown()
      .map(({ text }) => text)
      .join('');
  }

  /** A line that had no room: the first one, or the last one before those that had. */
  get leftOut(): number | null {
    return this.#leftOut;
  }

  /** Whether nothing more can come onto it. */
  get closed(): boolean {
    return this.#leftOut !== null && this.#keep === 'first';
  }

  add(number: number, line: Line, cut: LineCut): void {
    if (this.closed) return;
    const limits = { characters: PAGE_COLUMNS, bytes: this.#maxBytes - 1 };
    const text = clipLine(shape(line, cut, this.mask), limits).text + (line.ended || cut.end ? '\n' : '');
    const bytes = Buffer.byteLength(text);
    if (this.#keep === 'first' && this.#bytes + bytes > this.#maxBytes) {
      this.#leftOut = number;
      return;
    }
    this.#lines.push({ number, text, bytes });
    this.#bytes += bytes;
    while (this.#bytes > this.#maxBytes) this.#giveUpFirst();
  }

  #giveUpFirst(): void {
    const first = this.#lines[this.#start];
    this.#start += 1;
    this.#bytes -= first?.bytes ?? this.#bytes;
    this.#leftOut = first?.number ?? null;
  }

  #shown(): PageLine[] {
    return this.#lines.slice(this.#start);
  }
}

function shape(line: Line, { start, end }: LineCut, mask: Mask): ReturnType<typeof maskLine> {
  if (start) return endOnly(line, mask);
  return end ? startOnly(line, mask) : maskLine(line, mask);
}
