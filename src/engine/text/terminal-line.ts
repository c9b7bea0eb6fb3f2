import { codePointBoundaryAfter, codePointBoundaryBefore, countCharacters } from './utf8.ts';

/** What was left out of the middle of a line that was too long to be held. */
export interface LineGap {
  /** Where in the held text it was. */
  readonly at: number;
  readonly characters: number;
  readonly bytes: number;
}

/** A line as it stands when it is over. */
export interface BufferedLine {
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
  take(): BufferedLine {
    const line = this.#cells === null ? this.#takeText() : this.#takeCells(this.#cells);
    this.#start = this.#rest = '';
    this.#gapCharacters = this.#gapBytes = 0;
    this.#cells = null;
    this.#columns = this.#cursor = 0;
    return line;
  }

  #takeText(): BufferedLine {
    if (this.#start === '' && this.#rest.length <= 2 * this.#hold) return { text: this.#rest, gap: null };
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

  /** Lets go of the middle. What stays depends on the text alone, not on when this happens. */
  #shrink(): void {
    if (this.#start === '') {
      const at = codePointBoundaryBefore(this.#rest, this.#hold);
      this.#start = this.#rest.slice(0, at);
      this.#rest = this.#rest.slice(at);
    }
    const at = codePointBoundaryAfter(this.#rest, Math.max(0, this.#rest.length - this.#hold));
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

/** What the parser is in the middle of. None of these outlives a newline. */
type ParserState = 'ground' | 'escape' | 'charset' | 'csi' | 'c1csi' | 'osc' | 'string';

const CONTROL = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/g;
/** What ends or breaks off a string: BEL (for an OSC alone), ST as one character, ESC, CAN, SUB. */
const OSC_END = /[\x07\x18\x1a\x1b\x9c]/g;
const STRING_END = /[\x18\x1a\x1b\x9c]/g;

const BACKSPACE = 0x08;
const CARRIAGE_RETURN = 0x0d;
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;
const ESCAPE = 0x1b;
const DELETE = 0x7f;
const C1_CSI = 0x9b;

/** The second character of sequences that go on after it: `ESC k` is how screen and tmux set a title. */
const INTRODUCERS: Readonly<Record<string, ParserState>> = {
  '[': 'csi',
  ']': 'osc',
  P: 'string',
  X: 'string',
  '^': 'string',
  _: 'string',
  k: 'string',
};

/** Who knows the lines above: told when the cursor leaves the line. */
export interface RowNavigation {
  /** Negative: up. */
  move(rows: number): void;
  eraseBelow(): void;
}

/** Parameters beyond this many characters are nothing a terminal would obey. */
const MAX_PARAMETERS = 32;

/**
 * Takes the decoded text of one line in pieces of any size and gives what a terminal would show of it.
 *
 * Escape sequences and control characters go; `\r`, backspace and the sequences that work within a line
 * (erase, column, left, right) are obeyed; those that leave it are told to who knows the other lines. Eight-bit introducers are taken only where they cannot be
 * text that was encoded twice: a CSI with parameters. A raw byte 9B has become U+FFFD before it gets here.
 */
export class TerminalLine {
  readonly #buffer: LineBuffer;
  readonly #rows: RowNavigation | null;
  #state: ParserState = 'ground';
  #parameters = '';
  /** A `\r` that has not moved the cursor yet: at the end of a line it never does. */
  #returning = false;

  constructor(hold: number, rows: RowNavigation | null = null) {
    this.#buffer = new LineBuffer(hold);
    this.#rows = rows;
  }

  feed(text: string): void {
    let index = 0;
    while (index < text.length) index = this.#step(text, index);
  }

  /** The finished line; whatever was unfinished in it is dropped. */
  take(): BufferedLine {
    this.#state = 'ground';
    this.#returning = false;
    return this.#buffer.take();
  }

  /** The line as it stands, with another one in its place; the cursor stays in its column, or goes to the first. */
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
        return this.#ground(text, index);
      case 'osc':
        return this.#skipString(text, { index, end: OSC_END });
      case 'string':
        return this.#skipString(text, { index, end: STRING_END });
      case 'c1csi':
        this.#state = /[0-?]/.test(text[index] ?? '') ? 'csi' : 'ground';
        return index;
      default:
        return this.#sequence(text, index);
    }
  }

  #ground(text: string, index: number): number {
    const at = indexOfPattern(CONTROL, text, index);
    if (at > index) {
      this.#settleReturn();
      this.#buffer.append(index === 0 && at === text.length ? text : text.slice(index, at));
    }
    if (at < text.length) this.#control(text.charCodeAt(at));
    return at + 1;
  }

  #control(code: number): void {
    if (code === ESCAPE) this.#begin('escape');
    else if (code === C1_CSI) this.#begin('c1csi');
    else if (code === CARRIAGE_RETURN) this.#returning = true;
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
    if (!this.#returning) return;
    this.#returning = false;
    this.#buffer.moveTo(0);
  }

  #skipString(text: string, { index, end }: { index: number; end: RegExp }): number {
    const at = indexOfPattern(end, text, index);
    if (at === text.length) return at;
    if (text.charCodeAt(at) === ESCAPE) this.#begin('escape');
    else this.#state = 'ground';
    return at + 1;
  }

  /** One character after ESC: of a control sequence, of a charset choice, or the one that says which it is. */
  #sequence(text: string, index: number): number {
    const code = text.charCodeAt(index);
    if (code > DELETE) {
      // Not part of any sequence: the text goes on.
      this.#state = 'ground';
      return index;
    }
    if (code < 0x20) this.#controlWithin(code);
    else if (code !== DELETE) this.#character(code);
    return index + 1;
  }

  #controlWithin(code: number): void {
    if (code === CANCEL || code === SUBSTITUTE) this.#state = 'ground';
    else this.#control(code);
  }

  #character(code: number): void {
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
      this.#leave(final, number);
      return;
    }
    this.#settleReturn();
    if (final === 'K') this.#erase(number);
    else if (final === 'G') this.#buffer.moveTo(Math.max(1, number) - 1);
    else this.#buffer.moveBy(Math.max(1, number) * (final === 'C' ? 1 : -1));
  }

  #leave(final: string, number: number): void {
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
