import type { HeldLine, LineGap } from './line-buffer.ts';
import { type Place, type Row, RowWindow } from './row-window.ts';
import { TerminalLine } from './terminal-line.ts';
import { unfinishedBytes } from './utf8.ts';

/** A line of output as a model or a person reads it. */
export interface Line {
  /** Without its newline. May share memory with its neighbours: copy what is kept for long. */
  readonly text: string;
  /** What is missing from the middle of `text`, if it was too long to be held. */
  readonly gap: LineGap | null;
  /** How many bytes it takes in the raw output, newline included. */
  readonly rawBytes: number;
  /** `false` for a last line whose newline has not come. */
  readonly ended: boolean;
  /** How many lines came before it. */
  readonly index: number;
  /** Where the cursor came back to it: the last line of the raw output that it stands for, and how many these are. */
  readonly drawn?: { readonly last: number; readonly lines: number };
}

export interface LineReaderOptions {
  /** Of a longer line so many characters of its start and of its end are held. */
  readonly hold: number;
  readonly onLine: (line: Line) => void;
  /** Whether the cursor may go back to the last lines; then they come later, and those drawn anew come once. */
  readonly redraws?: boolean;
}

const NEWLINE = 10;
/** What cannot be shown as it is. A `\r` before a newline can: it is dropped with it. */
const SPECIAL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)/;
/** By far the commonest sequences. Where only they stood in the way, the slow road is not taken. */
const COLOUR = /\x1b\[[0-9;]*m/g;

/**
 * Turns raw bytes, cut anywhere, into lines: decoded as UTF-8 and shown as a terminal would leave them.
 *
 * A newline byte is a line break and nothing else is. So line numbers are those of the raw output, and reading may
 * begin after any newline. No state passes it, unless the cursor may go back.
 */
export class LineReader {
  readonly #hold: number;
  readonly #line: TerminalLine;
  readonly #onLine: (line: Line) => void;
  readonly #rows: RowWindow | null;
  /** Raw bytes of the unfinished line. */
  #rawBytes = 0;
  #index = 0;
  /** The first bytes of a character whose rest has not come. */
  #carry: Buffer | null = null;

  constructor({ hold, onLine, redraws = false }: LineReaderOptions) {
    // At least one whole character on each side.
    this.#hold = Math.max(2, hold);
    this.#onLine = onLine;
    const rows = redraws ? new RowWindow((row, place) => onLine(toLine(row, place))) : null;
    this.#rows = rows;
    this.#line = new TerminalLine(
      this.#hold,
      rows === null
        ? null
        : {
            move: (count) => rows.move(count, this.#index, (text) => this.#line.exchange(text, 'same')),
            eraseBelow: () => rows.eraseBelow(),
          },
    );
  }

  /** How many lines have come whole. */
  get index(): number {
    return this.#index;
  }

  /** The lines up to this one are read by somebody else; only between two lines. */
  leap(index: number): void {
    this.#rows?.leap(index);
    this.#index = index;
  }

  /** Gives out what the cursor might still have gone back to. */
  settle(): void {
    this.#rows?.flush();
  }

  write(chunk: Buffer): void {
    let from = 0;
    if (this.#rawBytes > 0) {
      const newline = chunk.indexOf(NEWLINE);
      from = newline === -1 ? chunk.length : newline + 1;
      this.#extend(chunk.subarray(0, from));
    }
    const last = chunk.lastIndexOf(NEWLINE) + 1;
    if (from < last) this.#wholeLines(chunk.subarray(from, last));
    from = Math.max(from, last);
    if (from < chunk.length) this.#extend(chunk.subarray(from));
  }

  /** Gives out the last line, if it has no newline. */
  end(): void {
    if (this.#rawBytes > 0) this.#finish(false);
    this.#rows?.flush();
  }

  /** Part of a line, possibly with its newline. */
  #extend(bytes: Buffer): void {
    this.#rawBytes += bytes.length;
    const ended = bytes[bytes.length - 1] === NEWLINE;
    this.#decode(ended ? bytes.subarray(0, -1) : bytes);
    if (ended) this.#finish(true);
  }

  #decode(bytes: Buffer): void {
    const all = this.#carry === null ? bytes : Buffer.concat([this.#carry, bytes]);
    const complete = all.length - unfinishedBytes(all);
    // A copy: the caller may use its buffer again.
    this.#carry = complete === all.length ? null : Buffer.from(all.subarray(complete));
    this.#line.feed(all.toString('utf8', 0, complete));
  }

  #finish(ended: boolean): void {
    if (this.#carry !== null) this.#line.feed(this.#carry.toString('utf8'));
    this.#carry = null;
    const { text, gap } = this.#line.take();
    const rawBytes = this.#rawBytes;
    this.#rawBytes = 0;
    this.#deliver({ text, gap }, { rawBytes, ended });
  }

  #wholeLines(bytes: Buffer): void {
    const text = bytes.toString('utf8');
    // As many characters as bytes: an index into the one is an index into the other.
    if (text.length === bytes.length && this.#rows?.raised !== true && !SPECIAL.test(text))
      this.#plainLines(text);
    else this.#eachLine(bytes);
  }

  #plainLines(text: string): void {
    for (let from = 0; from < text.length; ) {
      const newline = text.indexOf('\n', from);
      const end = text.charCodeAt(newline - 1) === 13 && newline > from ? newline - 1 : newline;
      this.#emit(text.slice(from, end), newline + 1 - from);
      from = newline + 1;
    }
  }

  #eachLine(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(NEWLINE, from) + 1;
      const decoded = bytes.toString('utf8', from, end);
      const text = decoded.includes('\x1b[') ? decoded.replace(COLOUR, '') : decoded;
      if (this.#rows?.raised === true || SPECIAL.test(text)) this.#extend(bytes.subarray(from, end));
      else this.#emit(text.slice(0, text.endsWith('\r\n') ? -2 : -1), end - from);
      from = end;
    }
  }

  #emit(text: string, rawBytes: number): void {
    if (text.length <= 2 * this.#hold) {
      this.#deliver({ text, gap: null }, { rawBytes, ended: true });
      return;
    }
    this.#line.feed(text);
    this.#deliver(this.#line.take(), { rawBytes, ended: true });
  }

  #deliver({ text, gap }: HeldLine, { rawBytes, ended }: { rawBytes: number; ended: boolean }): void {
    const index = this.#index;
    this.#index += 1;
    if (this.#rows === null) {
      this.#onLine({ text, gap, rawBytes, ended, index });
      return;
    }
    const next = this.#rows.finish({ held: { text, gap }, rawBytes, index, ended });
    if (this.#rows.raised) this.#line.exchange(next, 'first');
  }
}

function toLine({ held: { text, gap }, rawBytes, rawLines, ended }: Row, { index, last }: Place): Line {
  if (rawLines === 1 && last === index) return { text, gap, rawBytes, ended, index };
  return { text, gap, rawBytes, ended, index, drawn: { last, lines: rawLines } };
}
