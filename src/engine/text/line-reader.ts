import { type BufferedLine, type LineGap, TerminalLine } from './terminal-line.ts';
import { incompleteUtf8Bytes } from './utf8.ts';

/** A line on the screen. */
export interface ScreenRow {
  readonly held: BufferedLine;
  readonly rawBytes: number;
  /** How many lines of the raw output ended in it; 0 while none has. */
  readonly rawLines: number;
  /** The line of the raw output in which it was begun, and the one in which it was last written to. */
  readonly begun: number;
  readonly written: number;
  readonly ended: boolean;
}

/** Which line a row is that nothing reaches any more. */
export interface RowPosition {
  /** Which line of the raw output it is. */
  readonly index: number;
  /** The last line of the raw output that it stands for, if it was drawn more than once. */
  readonly last: number;
}

/** As far up as a program can move the cursor: more than any progress display has. */
const MAX_ROWS = 64;

/**
 * The last rows of a terminal, in which the cursor may go up and down. Rows leave at the top, in order. The numbers
 * they leave with only grow, and every line of the raw output is counted with exactly one of them.
 */
export class RowWindow {
  readonly #emit: (row: ScreenRow, place: RowPosition) => void;
  #rows: ScreenRow[] = [];
  /** In which row the cursor is; below the last one where a new row begins. */
  #at = 0;
  #redrawn = false;
  #counted = 0;

  constructor(emit: (row: ScreenRow, place: RowPosition) => void) {
    this.#emit = emit;
  }

  /** Whether the cursor is in a row that was there before. */
  get raised(): boolean {
    return this.#at < this.#rows.length;
  }

  /** Lines before this one were read by somebody else. */
  leap(lines: number): void {
    this.flush();
    this.#counted = lines;
  }

  /** The row at the cursor is over; the text of the next one, which may have been there before. */
  finish(line: {
    readonly held: BufferedLine;
    readonly rawBytes: number;
    readonly index: number;
    readonly ended: boolean;
  }): string {
    const { held, rawBytes, index, ended } = line;
    const old = this.#rows[this.#at];
    this.#rows[this.#at] = {
      held,
      rawBytes: rawBytes + (old?.rawBytes ?? 0),
      rawLines: (old?.rawLines ?? 0) + 1,
      begun: old?.begun ?? index,
      written: index,
      ended,
    };
    this.#at += 1;
    if (this.#rows.length > MAX_ROWS) this.#release();
    return this.#textAt();
  }

  /** Moves the cursor; `store` gives up the text of its row and takes over the other one's. */
  move(rows: number, index: number, store: (text: string) => BufferedLine): void {
    const to = Math.max(0, Math.min(this.#at + rows, Math.max(this.#at, this.#rows.length - 1)));
    if (to === this.#at) return;
    this.#redrawn = true;
    const old = this.#rows[this.#at];
    const held = store(rowText(this.#rows[to]));
    this.#rows[this.#at] = {
      ...(old ?? { rawBytes: 0, rawLines: 0, begun: index, ended: true }),
      held,
      written: index,
    };
    this.#at = to;
  }

  eraseBelow(): void {
    const gone = this.#rows.splice(this.#at + 1);
    const row = this.#rows[this.#at];
    if (row === undefined || gone.length === 0) return;
    this.#rows[this.#at] = absorbRows(row, gone);
  }

  flush(): void {
    this.#dropBlank();
    while (this.#rows.length > 0) this.#release();
    this.#at = 0;
    this.#redrawn = false;
  }

  #textAt(): string {
    return rowText(this.#rows[this.#at]);
  }

  /** Rows at the end that were drawn and then erased are not there; nor is one in which no line ended. */
  #dropBlank(): void {
    if (!this.#redrawn) return;
    while (this.#rows.length > 1) {
      const last = this.#rows.at(-1);
      if (last === undefined || last.held.text !== '' || (last.rawLines > 0 && last.begun === last.written))
        return;
      this.#rows.pop();
      const before = this.#rows.at(-1);
      if (before !== undefined) this.#rows[this.#rows.length - 1] = absorbRows(before, [last]);
    }
  }

  #release(): void {
    const index = this.#redrawn ? this.#indexOfFirst() : this.#rows[0]?.begun;
    const row = this.#rows.shift();
    this.#at = Math.max(0, this.#at - 1);
    if (row === undefined || index === undefined) return;
    this.#counted += row.rawLines;
    this.#emit(row, { index, last: Math.max(0, this.#counted - 1) });
  }

  /** The line in which it was last written to, unless a row below it was written to before that. */
  #indexOfFirst(): number {
    let limit = Number.POSITIVE_INFINITY;
    for (const { written, begun } of this.#rows.toReversed())
      limit = Math.max(begun, Math.min(written, limit - 1));
    return limit;
  }
}

function rowText(row: ScreenRow | undefined): string {
  if (row === undefined) return '';
  const { text, gap } = row.held;
  return gap === null ? text : text.slice(0, gap.at);
}

function absorbRows(row: ScreenRow, gone: readonly ScreenRow[]): ScreenRow {
  return {
    ...row,
    rawBytes: gone.reduce((sum, { rawBytes }) => sum + rawBytes, row.rawBytes),
    rawLines: gone.reduce((sum, { rawLines }) => sum + rawLines, row.rawLines),
  };
}

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
    const complete = all.length - incompleteUtf8Bytes(all);
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

  #deliver({ text, gap }: BufferedLine, { rawBytes, ended }: { rawBytes: number; ended: boolean }): void {
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

function toLine(
  { held: { text, gap }, rawBytes, rawLines, ended }: ScreenRow,
  { index, last }: RowPosition,
): Line {
  if (rawLines === 1 && last === index) return { text, gap, rawBytes, ended, index };
  return { text, gap, rawBytes, ended, index, drawn: { last, lines: rawLines } };
}
