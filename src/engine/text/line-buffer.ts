import { boundaryAfter, boundaryBefore, countCharacters } from './utf8.ts';

/** What was left out of the middle of a line that was too long to be held. */
export interface LineGap {
  /** Where in the held text it was. */
  readonly at: number;
  readonly characters: number;
  readonly bytes: number;
}

/** A line as it stands when it is over. */
export interface HeldLine {
  readonly text: string;
  readonly gap: LineGap | null;
}

/** A line is never moved to a column beyond this by an escape sequence: no terminal is wider. */
const WIDEST_MOVE = 512;

/**
 * One line as a terminal would leave it, in bounded memory.
 *
 * As long as text is only appended it is a string of which both ends are held. Once something moves
 * the cursor back it becomes cells that can be overwritten; then only the start of a very long line is held.
 */
export class LineBuffer {
  readonly #hold: number;
  #start = '';
  #rest = '';
  #gapCharacters = 0;
  #gapBytes = 0;
  #cells: number[] | null = null;
  /** Columns reached, which may be more than there are cells. */
  #columns = 0;
  #cursor = 0;

  /** So many characters are held of the start, and as many of the end. */
  constructor(hold: number) {
    this.#hold = hold;
  }

  append(text: string): void {
    if (this.#cells !== null) {
      this.#overwrite(this.#cells, text);
      return;
    }
    this.#rest += text;
    if (this.#rest.length > 4 * this.#hold) this.#shrink();
  }

  moveTo(column: number): void {
    this.#edit();
    const widest = Math.max(this.#columns, WIDEST_MOVE);
    this.#cursor = Math.max(0, Math.min(column, widest));
  }

  moveBy(columns: number): void {
    this.#edit();
    this.moveTo(this.#cursor + columns);
  }

  eraseToEnd(): void {
    const cells = this.#edit();
    this.#columns = Math.min(this.#columns, this.#cursor);
    if (cells.length > this.#columns) cells.length = this.#columns;
    this.#gapBytes = 0;
  }

  eraseToCursor(): void {
    const cells = this.#edit();
    cells.fill(SPACE, 0, Math.min(cells.length, this.#cursor + 1));
  }

  eraseAll(): void {
    this.#edit().length = 0;
    this.#columns = 0;
    this.#gapBytes = 0;
  }

  /** Where the next character goes. */
  get column(): number {
    return this.#cells === null
      ? countCharacters(this.#start + this.#rest) + this.#gapCharacters
      : this.#cursor;
  }

  /** The line, and an empty buffer for the next one. */
  take(): HeldLine {
    const line = this.#cells === null ? this.#takeText() : this.#takeCells(this.#cells);
    this.#start = this.#rest = '';
    this.#gapCharacters = this.#gapBytes = 0;
    this.#cells = null;
    this.#columns = this.#cursor = 0;
    return line;
  }

  #takeText(): HeldLine {
    if (this.#start === '' && this.#rest.length <= 2 * this.#hold) return { text: this.#rest, gap: null };
    this.#shrink();
    const gap = { at: this.#start.length, characters: this.#gapCharacters, bytes: this.#gapBytes };
    return { text: this.#start + this.#rest, gap };
  }

  #takeCells(cells: readonly number[]): HeldLine {
    const text = toText(cells);
    const characters = this.#columns - cells.length;
    if (characters <= 0) return { text, gap: null };
    return { text, gap: { at: text.length, characters, bytes: Math.max(characters, this.#gapBytes) } };
  }

  /** Lets go of the middle. What stays depends on the text alone, not on when this happens. */
  #shrink(): void {
    if (this.#start === '') {
      const at = boundaryBefore(this.#rest, this.#hold);
      this.#start = this.#rest.slice(0, at);
      this.#rest = this.#rest.slice(at);
    }
    const at = boundaryAfter(this.#rest, Math.max(0, this.#rest.length - this.#hold));
    const dropped = this.#rest.slice(0, at);
    this.#gapCharacters += countCharacters(dropped);
    this.#gapBytes += Buffer.byteLength(dropped);
    this.#rest = this.#rest.slice(at);
  }

  #edit(): number[] {
    if (this.#cells !== null) return this.#cells;
    const { text, gap } = this.#takeText();
    const held = gap === null ? text : text.slice(0, gap.at);
    this.#cells = toCells(held);
    this.#gapBytes = gap === null ? 0 : gap.bytes + Buffer.byteLength(text) - Buffer.byteLength(held);
    this.#columns = gap === null ? this.#cells.length : countCharacters(text) + gap.characters;
    this.#cursor = this.#columns;
    return this.#cells;
  }

  #overwrite(cells: number[], text: string): void {
    for (const character of text) {
      const reachable =
        this.#cursor < 2 * this.#hold && cells.length >= Math.min(this.#columns, this.#cursor);
      if (reachable) {
        while (cells.length < this.#cursor) cells.push(SPACE);
        cells[this.#cursor] = character.codePointAt(0) ?? SPACE;
      }
      this.#cursor += 1;
      if (this.#cursor > this.#columns) this.#columns = this.#cursor;
    }
  }
}

const SPACE = 0x20;
const AT_ONCE = 4096;

function toCells(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? SPACE);
}

function toText(cells: readonly number[]): string {
  let text = '';
  // In steps: one call with too many arguments overflows the stack.
  for (let from = 0; from < cells.length; from += AT_ONCE) {
    text += String.fromCodePoint(...cells.slice(from, from + AT_ONCE));
  }
  return text;
}
