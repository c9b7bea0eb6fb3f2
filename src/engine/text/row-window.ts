import type { HeldLine } from './line-buffer.ts';

/** A line on the screen. */
export interface Row {
  readonly held: HeldLine;
  readonly rawBytes: number;
  /** How many lines of the raw output ended in it; 0 while none has. */
  readonly rawLines: number;
  /** The line of the raw output in which it was begun, and the one in which it was last written to. */
  readonly begun: number;
  readonly written: number;
  readonly ended: boolean;
}

/** Which line a row is that nothing reaches any more. */
export interface Place {
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
  readonly #emit: (row: Row, place: Place) => void;
  #rows: Row[] = [];
  /** In which row the cursor is; below the last one where a new row begins. */
  #at = 0;
  #redrawn = false;
  #counted = 0;

  constructor(emit: (row: Row, place: Place) => void) {
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
    readonly held: HeldLine;
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
  move(rows: number, index: number, store: (text: string) => HeldLine): void {
    const to = Math.max(0, Math.min(this.#at + rows, Math.max(this.#at, this.#rows.length - 1)));
    if (to === this.#at) return;
    this.#redrawn = true;
    const old = this.#rows[this.#at];
    const held = store(textOf(this.#rows[to]));
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
    this.#rows[this.#at] = absorb(row, gone);
  }

  flush(): void {
    this.#dropBlank();
    while (this.#rows.length > 0) this.#release();
    this.#at = 0;
    this.#redrawn = false;
  }

  #textAt(): string {
    return textOf(this.#rows[this.#at]);
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
      if (before !== undefined) this.#rows[this.#rows.length - 1] = absorb(before, [last]);
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

function textOf(row: Row | undefined): string {
  if (row === undefined) return '';
  const { text, gap } = row.held;
  return gap === null ? text : text.slice(0, gap.at);
}

function absorb(row: Row, gone: readonly Row[]): Row {
  return {
    ...row,
    rawBytes: gone.reduce((sum, { rawBytes }) => sum + rawBytes, row.rawBytes),
    rawLines: gone.reduce((sum, { rawLines }) => sum + rawLines, row.rawLines),
  };
}
