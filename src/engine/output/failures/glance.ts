import { LineReader } from '../../text/line-reader.ts';
import { countNewlines } from '../../text/newlines.ts';
import type { Mask } from '../mask.ts';
import type { Considered, Recall } from './failure-lines.ts';
import type { FailureLine } from './groups.ts';
import { hashShape } from './hash-shape.ts';
import { rareWords } from './vocabulary.ts';
import { WordScan } from './word-scan.ts';
import { workedMs } from './work-clock.ts';
import { WornWords } from './worn-words.ts';

export interface GlanceOptions {
  /** Takes a line that may tell of a failure. */
  readonly consider: (line: FailureLine, recall: Recall) => Considered;
  readonly mask: Mask;
  readonly firstLine: number;
  /** When to stop looking, by the clock of `workedMs()`; lines are counted all the same. */
  readonly deadline: number;
}

const NEWLINE = 10;
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
/** So much of what was seen is kept at hand, for who wants to see the lines before one. */
const CONTEXT_BYTES = 4096;
const HOLD = 2000;
const MAX_SHAPES = 5000;
/** A chunk is looked at in parts of this size, and the clock between them. */
const STEP_BYTES = 256 * 1024;

interface Place {
  readonly from: number;
  readonly to: number;
}

/**
 * Looks for failures in the middle of a long output without reading it: words are looked for in the raw bytes,
 * and only lines that have one, and those around them, are decoded.
 */
export class Glance {
  readonly #options: GlanceOptions;
  readonly #scan = new WordScan(rareWords());
  /** What was seen last, whole lines and the start of one. The first line, too, has a newline before it: words may begin with it. */
  #kept: Buffer = Buffer.of(NEWLINE);
  /** Where in `#kept` the first byte is that was not looked at. */
  #unread = 1;
  /** Of the first line that has not come whole. */
  #number: number;
  #wanted = false;
  /** What is to be done about lines that differ from one that was seen in their digits alone. */
  readonly #shapes = new Map<number, () => void>();
  readonly #worn = new WornWords();
  #skippedBytes = 0;

  constructor(options: GlanceOptions) {
    this.#options = options;
    this.#number = options.firstLine;
  }

  /** The number of the first line that will come. */
  begin(line: number): void {
    this.#number = line;
  }

  /** Of the first line that has not come whole. */
  get line(): number {
    return this.#number;
  }

  /** How much was not looked at for want of time. */
  get skippedBytes(): number {
    return this.#skippedBytes;
  }

  write(chunk: Buffer): void {
    for (let from = 0; from < chunk.length; from += STEP_BYTES)
      this.#step(chunk.subarray(from, from + STEP_BYTES));
  }

  #step(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#kept, chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end > this.#unread) this.#look(bytes.subarray(0, end), this.#unread);
    const context = Math.max(0, end - CONTEXT_BYTES);
    this.#kept = bytes.subarray(context);
    this.#unread = end - context;
  }

  /** The start of a line whose end has not come. */
  rest(): Buffer {
    return this.#kept.subarray(this.#unread);
  }

  #look(bytes: Buffer, from: number): void {
    if (workedMs() > this.#options.deadline) {
      this.#skippedBytes += bytes.length - from;
      this.#number += countNewlines(bytes.subarray(from));
      this.#wanted = false;
      return;
    }
    // One character a byte: an index into the one is an index into the other.
    const text = bytes.toString('latin1');
    let start = from;
    while (start < bytes.length) {
      const next = this.#wanted ? start : this.#nextLine(text, start);
      if (next === -1) break;
      this.#number += next === start ? 0 : countNewlines(bytes.subarray(start, next));
      const end = text.indexOf('\n', next) + 1;
      this.#take(bytes, { from: next, to: end });
      this.#number += 1;
      start = end;
    }
    this.#number += countNewlines(bytes.subarray(start));
  }

  /** A log may say the same a million times. */
  #take(bytes: Buffer, place: Place): void {
    const shape = this.#wanted ? null : hashShape(bytes, place);
    const known = shape === null ? undefined : this.#shapes.get(shape);
    if (known !== undefined) {
      known();
      return;
    }
    const { follow, again, meant } = this.#consider(bytes, place);
    if (!this.#wanted) this.#worn.count(this.#scan.found, meant);
    this.#wanted = follow;
    if (shape === null || again === null) return;
    if (this.#shapes.size >= MAX_SHAPES) this.#shapes.clear();
    this.#shapes.set(shape, again);
  }

  #consider(bytes: Buffer, { from, to }: Place): Considered {
    const number = this.#number;
    const recall: Recall = (lines) => this.#linesBefore(bytes, { from, lines, number });
    return this.#options.consider(this.#read(bytes.subarray(from, to), number), recall);
  }

  #linesBefore(bytes: Buffer, place: { from: number; lines: number; number: number }): FailureLine[] {
    const found: FailureLine[] = [];
    let to = place.from;
    while (found.length < place.lines && to > 1 && place.from - to < CONTEXT_BYTES) {
      const from = bytes.lastIndexOf(NEWLINE, to - 2) + 1;
      found.push(this.#read(bytes.subarray(from, to), place.number - found.length - 1));
      to = from;
    }
    return found;
  }

  #read(bytes: Buffer, number: number): FailureLine {
    const rawBytes = bytes.length;
    const plain = bytes.toString('utf8', 0, Math.min(rawBytes, HOLD));
    const isPlain = rawBytes <= HOLD && plain.endsWith('\n') && !CONTROL.test(plain);
    const text = isPlain ? plain.slice(0, -1) : this.#readSlowly(bytes);
    return { number, text: this.#options.mask.apply(text), rawBytes };
  }

  #readSlowly(bytes: Buffer): string {
    let text = '';
    const reader = new LineReader({
      hold: HOLD + this.#options.mask.longest,
      onLine: (line) => {
        text = line.gap === null ? line.text : `${line.text.slice(0, line.gap.at)}…`;
      },
    });
    reader.write(bytes);
    reader.end();
    return text;
  }

  /** Where the next line with a word in it begins, or -1. */
  #nextLine(text: string, from: number): number {
    let at = this.#scan.next(text, Math.max(0, from - 1));
    while (at !== -1 && this.#worn.isWorn(this.#scan.found)) at = this.#scan.next(text, Math.max(0, at - 2));
    // A word may begin with the newline before its line.
    return at === -1 ? -1 : Math.max(from, text.lastIndexOf('\n', at) + 1);
  }
}
