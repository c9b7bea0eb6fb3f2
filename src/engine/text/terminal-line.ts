import { codePointBoundaryAfter, codePointBoundaryBefore, countCharacters } from './utf8.ts';

/** The part missing from the middle of a line that was too long to hold. */
export interface LineGap {
  /** Offset of the gap in the held text. */
  readonly at: number;
  readonly characters: number;
  readonly bytes: number;
}

/** The text of a finished line. */
export interface BufferedLine {
  readonly text: string;
  readonly gap: LineGap | null;
}

/** An escape sequence never moves the cursor beyond this column: no terminal is wider. */
const WIDEST_MOVE = 512;

/**
 * One line as a terminal would show it, in bounded memory.
 *
 * While text is only appended, the line is a string of which both ends are held. Once the cursor moves back,
 * the line becomes cells that can be overwritten, and only the start of a very long line is held.
 */
class LineBuffer {
  readonly #edgeCharacters: number;
  #start = '';
  #rest = '';
  #gapCharacters = 0;
  #gapBytes = 0;
  #cells: number[] | null = null;
  /** Columns reached, which may be more than there are cells. */
  #columns = 0;
  #cursor = 0;

  /** `edgeCharacters` characters are held of the start, and as many of the end. */
  constructor(edgeCharacters: number) {
    this.#edgeCharacters = edgeCharacters;
  }

  append(text: string): void {
    if (this.#cells !== null) {
      this.#overwrite(this.#cells, text);
      return;
    }
    this.#rest += text;
    if (this.#rest.length > 4 * this.#edgeCharacters) this.#shrink();
  }

  moveTo(column: number): void {
    this.#toCells();
    const widest = Math.max(this.#columns, WIDEST_MOVE);
    this.#cursor = Math.max(0, Math.min(column, widest));
  }

  moveBy(columns: number): void {
    this.#toCells();
    this.moveTo(this.#cursor + columns);
  }

  eraseToEnd(): void {
    const cells = this.#toCells();
    this.#columns = Math.min(this.#columns, this.#cursor);
    if (cells.length > this.#columns) cells.length = this.#columns;
    this.#gapBytes = 0;
  }

  eraseToCursor(): void {
    const cells = this.#toCells();
    cells.fill(SPACE, 0, Math.min(cells.length, this.#cursor + 1));
  }

  eraseAll(): void {
    this.#toCells().length = 0;
    this.#columns = 0;
    this.#gapBytes = 0;
  }

  /** Column of the next character. */
  get column(): number {
    return this.#cells === null
      ? countCharacters(this.#start + this.#rest) + this.#gapCharacters
      : this.#cursor;
  }

  /** Returns the line and clears the buffer. */
  take(): BufferedLine {
    const line = this.#cells === null ? this.#takeText() : this.#takeCells(this.#cells);
    this.#start = this.#rest = '';
    this.#gapCharacters = this.#gapBytes = 0;
    this.#cells = null;
    this.#columns = this.#cursor = 0;
    return line;
  }

  #takeText(): BufferedLine {
    if (this.#start === '' && this.#rest.length <= 2 * this.#edgeCharacters)
      return { text: this.#rest, gap: null };
    this.#shrink();
    const gap = { at: this.#start.length, characters: this.#gapCharacters, bytes: this.#gapBytes };
    return { text: this.#start + this.#rest, gap };
  }

  #takeCells(cells: readonly number[]): BufferedLine {
    const text = toText(cells);
    const characters = this.#columns - cells.length;
    if (characters <= 0) return { text, gap: null };
    return { text, gap: { at: text.length, characters, bytes: Math.max(characters, this.#gapBytes) } };
  }

  /** Drops the middle. The result depends only on the text, not on when this is called. */
  #shrink(): void {
    if (this.#start === '') {
      const at = codePointBoundaryBefore(this.#rest, this.#edgeCharacters);
      this.#start = this.#rest.slice(0, at);
      this.#rest = this.#rest.slice(at);
    }
    const at = codePointBoundaryAfter(this.#rest, Math.max(0, this.#rest.length - this.#edgeCharacters));
    const dropped = this.#rest.slice(0, at);
    this.#gapCharacters += countCharacters(dropped);
    this.#gapBytes += Buffer.byteLength(dropped);
    this.#rest = this.#rest.slice(at);
  }

  #toCells(): number[] {
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
        this.#cursor < 2 * this.#edgeCharacters && cells.length >= Math.min(this.#columns, this.#cursor);
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
  // In steps: too many arguments in one call overflow the stack.
  for (let from = 0; from < cells.length; from += AT_ONCE) {
    text += String.fromCodePoint(...cells.slice(from, from + AT_ONCE));
  }
  return text;
}

/** State of the escape sequence parser. It is reset at a newline. */
type ParserState = 'ground' | 'escape' | 'charset' | 'csi' | 'c1csi' | 'osc' | 'string';

const CONTROL = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/g;
/** Characters that end or abort a string: BEL (for an OSC only), ST as one character, ESC, CAN, SUB. */
const OSC_END = /[\x07\x18\x1a\x1b\x9c]/g;
const STRING_END = /[\x18\x1a\x1b\x9c]/g;

const BACKSPACE = 0x08;
const CARRIAGE_RETURN = 0x0d;
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;
const ESCAPE = 0x1b;
const DELETE = 0x7f;
const C1_CSI = 0x9b;

/** Second characters of sequences that continue. `ESC k` sets a title in screen and tmux. */
const INTRODUCERS: Readonly<Record<string, ParserState>> = {
  '[': 'csi',
  ']': 'osc',
  P: 'string',
  X: 'string',
  '^': 'string',
  _: 'string',
  k: 'string',
};

/** Receives cursor movements that leave the line. */
interface RowNavigation {
  /** Negative numbers move up. */
  move(rows: number): void;
  eraseBelow(): void;
}

/** Longer parameters are ignored. */
const MAX_PARAMETERS = 32;

/**
 * Takes the decoded text of one line in pieces of any size and returns what a terminal would show of it.
 *
 * Escape sequences and control characters are removed. `\r`, backspace and sequences within the line (erase,
 * column, left, right) are applied; sequences that leave the line go to `RowNavigation`. An 8-bit CSI is
 * recognised only with parameters, because otherwise it may be text that was encoded twice. A raw byte 9B has
 * already become U+FFFD.
 */
export class TerminalLine {
  readonly #buffer: LineBuffer;
  readonly #rows: RowNavigation | null;
  #state: ParserState = 'ground';
  #parameters = '';
  /** A `\r` that has not moved the cursor yet: a `\r` at the end of a line never does. */
  #pendingReturn = false;

  constructor(edgeCharacters: number, rows: RowNavigation | null = null) {
    this.#buffer = new LineBuffer(edgeCharacters);
    this.#rows = rows;
  }

  feed(text: string): void {
    let index = 0;
    while (index < text.length) index = this.#step(text, index);
  }

  /** Returns the finished line; an incomplete sequence is dropped. */
  take(): BufferedLine {
    this.#state = 'ground';
    this.#pendingReturn = false;
    return this.#buffer.take();
  }

  /** Returns the current line and replaces it. The cursor keeps its column or moves to the first. */
  exchange(text: string, column: 'same' | 'first'): BufferedLine {
    this.#settleReturn();
    const at = column === 'same' ? this.#buffer.column : 0;
    const held = this.#buffer.take();
    this.#buffer.append(text);
    this.#buffer.moveTo(at);
    return held;
  }

  #step(text: string, index: number): number {
    switch (this.#state) {
      case 'ground':
        return this.#readText(text, index);
      case 'osc':
        return this.#skipString(text, { index, end: OSC_END });
      case 'string':
        return this.#skipString(text, { index, end: STRING_END });
      case 'c1csi':
        this.#state = /[0-?]/.test(text[index] ?? '') ? 'csi' : 'ground';
        return index;
      default:
        return this.#readSequence(text, index);
    }
  }

  #readText(text: string, index: number): number {
    const at = indexOfPattern(CONTROL, text, index);
    if (at > index) {
      this.#settleReturn();
      this.#buffer.append(index === 0 && at === text.length ? text : text.slice(index, at));
    }
    if (at < text.length) this.#applyControl(text.charCodeAt(at));
    return at + 1;
  }

  #applyControl(code: number): void {
    if (code === ESCAPE) this.#begin('escape');
    else if (code === C1_CSI) this.#begin('c1csi');
    else if (code === CARRIAGE_RETURN) this.#pendingReturn = true;
    else if (code === BACKSPACE) {
      this.#settleReturn();
      this.#buffer.moveBy(-1);
    }
  }

  #begin(state: ParserState): void {
    this.#state = state;
    this.#parameters = '';
  }

  #settleReturn(): void {
    if (!this.#pendingReturn) return;
    this.#pendingReturn = false;
    this.#buffer.moveTo(0);
  }

  #skipString(text: string, { index, end }: { index: number; end: RegExp }): number {
    const at = indexOfPattern(end, text, index);
    if (at === text.length) return at;
    if (text.charCodeAt(at) === ESCAPE) this.#begin('escape');
    else this.#state = 'ground';
    return at + 1;
  }

  /** Handles one character of a sequence that began with ESC. */
  #readSequence(text: string, index: number): number {
    const code = text.charCodeAt(index);
    if (code > DELETE) {
      // Not part of any sequence: the text continues.
      this.#state = 'ground';
      return index;
    }
    if (code < 0x20) this.#applyControlInSequence(code);
    else if (code !== DELETE) this.#readSequenceCharacter(code);
    return index + 1;
  }

  #applyControlInSequence(code: number): void {
    if (code === CANCEL || code === SUBSTITUTE) this.#state = 'ground';
    else this.#applyControl(code);
  }

  #readSequenceCharacter(code: number): void {
    const character = String.fromCharCode(code);
    if (this.#state === 'csi') {
      if (code >= 0x40) this.#finishCsi(character);
      else if (this.#parameters.length <= MAX_PARAMETERS) this.#parameters += character;
    } else if (code < 0x30) {
      this.#state = 'charset';
    } else {
      this.#state = (this.#state === 'escape' ? INTRODUCERS[character] : undefined) ?? 'ground';
    }
  }

  #finishCsi(final: string): void {
    this.#state = 'ground';
    if (!'KGCDABEFJ'.includes(final) || !/^\d{0,6}$/.test(this.#parameters)) return;
    const number = Number(this.#parameters);
    if ('ABEFJ'.includes(final)) {
      this.#moveRows(final, number);
      return;
    }
    this.#settleReturn();
    if (final === 'K') this.#erase(number);
    else if (final === 'G') this.#buffer.moveTo(Math.max(1, number) - 1);
    else this.#buffer.moveBy(Math.max(1, number) * (final === 'C' ? 1 : -1));
  }

  #moveRows(final: string, number: number): void {
    if (this.#rows === null) return;
    this.#settleReturn();
    if (final === 'J') {
      if (number !== 0) return;
      this.#buffer.eraseToEnd();
      this.#rows.eraseBelow();
      return;
    }
    this.#rows.move(Math.max(1, number) * ('AF'.includes(final) ? -1 : 1));
    if ('EF'.includes(final)) this.#buffer.moveTo(0);
  }

  #erase(what: number): void {
    if (what === 0) this.#buffer.eraseToEnd();
    else if (what === 1) this.#buffer.eraseToCursor();
    else if (what === 2) this.#buffer.eraseAll();
  }
}

function indexOfPattern(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match === null ? text.length : match.index;
}
