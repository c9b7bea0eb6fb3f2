import { type BufferedLine, type LineGap, TerminalLine } from './terminal-line.ts';
import { incompleteUtf8Bytes, NEWLINE } from './utf8.ts';

/** A row of the emulated screen. */
interface ScreenRow {
  readonly held: BufferedLine;
  readonly rawBytes: number;
  /** Number of raw lines that ended in this row. */
  readonly rawLines: number;
  /** The raw line in which the row was first written, and the one in which it was last written. */
  readonly firstWritten: number;
  readonly lastWritten: number;
  readonly ended: boolean;
}

/** The raw lines of a row that has left the window. */
interface RowPosition {
  /** The raw line it is numbered with. */
  readonly index: number;
  /** The last raw line it stands for; different from `index` if the row was redrawn. */
  readonly last: number;
}

/** The cursor can move up this many rows, which is more than any progress display has. */
const MAX_ROWS = 64;

/**
 * The last rows of a terminal, in which the cursor can move up and down. Rows leave at the top, in order. Their
 * numbers only grow, and every raw line is counted in exactly one row.
 */
class RowWindow {
  readonly #emit: (row: ScreenRow, place: RowPosition) => void;
  #rows: ScreenRow[] = [];
  /** The row of the cursor; equal to the number of rows when a new row begins. */
  #row = 0;
  #redrawn = false;
  #counted = 0;

  constructor(emit: (row: ScreenRow, place: RowPosition) => void) {
    this.#emit = emit;
  }

  /** Whether the cursor is in an existing row. */
  get isInExistingRow(): boolean {
    return this.#row < this.#rows.length;
  }

  /** Continues with the given line number, after lines that were read elsewhere. */
  skipTo(lines: number): void {
    this.flush();
    this.#counted = lines;
  }

  /** Ends the row at the cursor and returns the text of the next row, which may already exist. */
  finish(line: {
    readonly held: BufferedLine;
    readonly rawBytes: number;
    readonly index: number;
    readonly ended: boolean;
  }): string {
    const { held, rawBytes, index, ended } = line;
    const old = this.#rows[this.#row];
    this.#rows[this.#row] = {
      held,
      rawBytes: rawBytes + (old?.rawBytes ?? 0),
      rawLines: (old?.rawLines ?? 0) + 1,
      firstWritten: old?.firstWritten ?? index,
      lastWritten: index,
      ended,
    };
    this.#row += 1;
    if (this.#rows.length > MAX_ROWS) this.#release();
    return this.#textAt();
  }

  /** Moves the cursor. `store` returns the text of the current row and receives the text of the new row. */
  move(rows: number, index: number, store: (text: string) => BufferedLine): void {
    const to = Math.max(0, Math.min(this.#row + rows, Math.max(this.#row, this.#rows.length - 1)));
    if (to === this.#row) return;
    this.#redrawn = true;
    const old = this.#rows[this.#row];
    const held = store(rowText(this.#rows[to]));
    this.#rows[this.#row] = {
      ...(old ?? { rawBytes: 0, rawLines: 0, firstWritten: index, ended: true }),
      held,
      lastWritten: index,
    };
    this.#row = to;
  }

  eraseBelow(): void {
    const gone = this.#rows.splice(this.#row + 1);
    const row = this.#rows[this.#row];
    if (row === undefined || gone.length === 0) return;
    this.#rows[this.#row] = absorbRows(row, gone);
  }

  flush(): void {
    this.#dropBlankRows();
    while (this.#rows.length > 0) this.#release();
    this.#row = 0;
    this.#redrawn = false;
  }

  #textAt(): string {
    return rowText(this.#rows[this.#row]);
  }

  /** Removes rows at the end that were drawn and then erased, and a row in which no line ended. */
  #dropBlankRows(): void {
    if (!this.#redrawn) return;
    while (this.#rows.length > 1) {
      const last = this.#rows.at(-1);
      if (
        last === undefined ||
        last.held.text !== '' ||
        (last.rawLines > 0 && last.firstWritten === last.lastWritten)
      )
        return;
      this.#rows.pop();
      const before = this.#rows.at(-1);
      if (before !== undefined) this.#rows[this.#rows.length - 1] = absorbRows(before, [last]);
    }
  }

  #release(): void {
    const index = this.#redrawn ? this.#indexOfFirst() : this.#rows[0]?.firstWritten;
    const row = this.#rows.shift();
    this.#row = Math.max(0, this.#row - 1);
    if (row === undefined || index === undefined) return;
    this.#counted += row.rawLines;
    this.#emit(row, { index, last: Math.max(0, this.#counted - 1) });
  }

  /** The raw line in which the first row was last written, unless a row below it was written before that. */
  #indexOfFirst(): number {
    let limit = Number.POSITIVE_INFINITY;
    for (const { lastWritten, firstWritten } of this.#rows.toReversed())
      limit = Math.max(firstWritten, Math.min(lastWritten, limit - 1));
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

/** A line of output without escape sequences, as a terminal would show it. */
export interface Line {
  /** Without its newline. The string may share memory with its neighbours: copy it to keep it for long. */
  readonly text: string;
  /** The part missing from the middle of `text`, if the line was too long to hold. */
  readonly gap: LineGap | null;
  /** Size in the raw output, newline included. */
  readonly rawBytes: number;
  /** `false` for a last line without a newline. */
  readonly ended: boolean;
  /** Number of lines before it. */
  readonly index: number;
  /** Set for a redrawn line: the last raw line it stands for, and the number of these lines. */
  readonly redrawn?: { readonly last: number; readonly lines: number };
}

interface LineReaderOptions {
  /** Number of characters held of the start and of the end of a long line. */
  readonly edgeCharacters: number;
  readonly onLine: (line: Line) => void;
  /**
   * Whether the cursor may move up into the last lines. Lines are then reported later, and a redrawn line once.
   */
  readonly redraws?: boolean;
}

/** Characters that need the terminal emulation. A `\r` before a newline does not: it is dropped with it. */
const SPECIAL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)/;
/** Colours are the most frequent sequences. A line with no other sequence is handled without the emulation. */
const COLOUR = /\x1b\[[0-9;]*m/g;

/**
 * Splits raw bytes into lines, decoded as UTF-8, as a terminal would show them. Chunks may be split anywhere.
 *
 * Only a newline byte ends a line. So line numbers are those of the raw output, and reading may begin after any
 * newline. No state survives a newline, unless `redraws` is set.
 */
export class LineReader {
  readonly #edgeCharacters: number;
  readonly #line: TerminalLine;
  readonly #onLine: (line: Line) => void;
  readonly #rows: RowWindow | null;
  /** Raw bytes of the unfinished line. */
  #rawBytes = 0;
  #index = 0;
  /** The first bytes of an incomplete UTF-8 character. */
  #carry: Buffer | null = null;

  constructor({ edgeCharacters, onLine, redraws = false }: LineReaderOptions) {
    // At least one whole character on each side.
    this.#edgeCharacters = Math.max(2, edgeCharacters);
    this.#onLine = onLine;
    const rows = redraws ? new RowWindow((row, place) => onLine(toLine(row, place))) : null;
    this.#rows = rows;
    this.#line = new TerminalLine(
      this.#edgeCharacters,
      rows === null
        ? null
        : {
            move: (count) => rows.move(count, this.#index, (text) => this.#line.exchange(text, 'same')),
            eraseBelow: () => rows.eraseBelow(),
          },
    );
  }

  /** Number of complete lines read so far. */
  get index(): number {
    return this.#index;
  }

  /**
   * Continues with the given line number, after lines that were read elsewhere. Only valid between two lines.
   */
  skipTo(index: number): void {
    this.#rows?.skipTo(index);
    this.#index = index;
  }

  /** Reports the lines that were held back because the cursor might return to them. */
  flushRows(): void {
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
    if (from < last) this.#readWholeLines(chunk.subarray(from, last));
    from = Math.max(from, last);
    if (from < chunk.length) this.#extend(chunk.subarray(from));
  }

  /** Reports the last line, if it has no newline. */
  end(): void {
    if (this.#rawBytes > 0) this.#finish(false);
    this.#rows?.flush();
  }

  /** Adds a part of a line, possibly with its newline. */
  #extend(bytes: Buffer): void {
    this.#rawBytes += bytes.length;
    const ended = bytes[bytes.length - 1] === NEWLINE;
    this.#decode(ended ? bytes.subarray(0, -1) : bytes);
    if (ended) this.#finish(true);
  }

  #decode(bytes: Buffer): void {
    const all = this.#carry === null ? bytes : Buffer.concat([this.#carry, bytes]);
    const complete = all.length - incompleteUtf8Bytes(all);
    // A copy: the caller may reuse its buffer.
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

  #readWholeLines(bytes: Buffer): void {
    const text = bytes.toString('utf8');
    // Equal lengths mean ASCII: character offsets are byte offsets.
    if (text.length === bytes.length && this.#rows?.isInExistingRow !== true && !SPECIAL.test(text))
      this.#readPlainLines(text);
    else this.#readEachLine(bytes);
  }

  #readPlainLines(text: string): void {
    for (let from = 0; from < text.length; ) {
      const newline = text.indexOf('\n', from);
      const end = text.charCodeAt(newline - 1) === 13 && newline > from ? newline - 1 : newline;
      this.#emit(text.slice(from, end), newline + 1 - from);
      from = newline + 1;
    }
  }

  #readEachLine(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(NEWLINE, from) + 1;
      const decoded = bytes.toString('utf8', from, end);
      const text = decoded.includes('\x1b[') ? decoded.replace(COLOUR, '') : decoded;
      if (this.#rows?.isInExistingRow === true || SPECIAL.test(text)) this.#extend(bytes.subarray(from, end));
      else this.#emit(text.slice(0, text.endsWith('\r\n') ? -2 : -1), end - from);
      from = end;
    }
  }

  #emit(text: string, rawBytes: number): void {
    if (text.length <= 2 * this.#edgeCharacters) {
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
    if (this.#rows.isInExistingRow) this.#line.exchange(next, 'first');
  }
}

function toLine(
  { held: { text, gap }, rawBytes, rawLines, ended }: ScreenRow,
  { index, last }: RowPosition,
): Line {
  if (rawLines === 1 && last === index) return { text, gap, rawBytes, ended, index };
  return { text, gap, rawBytes, ended, index, redrawn: { last, lines: rawLines } };
}
