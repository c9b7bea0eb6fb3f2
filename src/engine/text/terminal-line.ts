import { type HeldLine, LineBuffer } from './line-buffer.ts';

/** What the parser is in the middle of. None of these outlives a newline. */
type State = 'ground' | 'escape' | 'charset' | 'csi' | 'c1csi' | 'osc' | 'string';

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
const INTRODUCERS: Readonly<Record<string, State>> = {
  '[': 'csi',
  ']': 'osc',
  P: 'string',
  X: 'string',
  '^': 'string',
  _: 'string',
  k: 'string',
};

/** Who knows the lines above: told when the cursor leaves the line. */
export interface Rows {
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
  readonly #rows: Rows | null;
  #state: State = 'ground';
  #parameters = '';
  /** A `\r` that has not moved the cursor yet: at the end of a line it never does. */
  #returning = false;

  constructor(hold: number, rows: Rows | null = null) {
    this.#buffer = new LineBuffer(hold);
    this.#rows = rows;
  }

  feed(text: string): void {
    let index = 0;
    while (index < text.length) index = this.#step(text, index);
  }

  /** The finished line; whatever was unfinished in it is dropped. */
  take(): HeldLine {
    this.#state = 'ground';
    this.#returning = false;
    return this.#buffer.take();
  }

  /** The line as it stands, with another one in its place; the cursor stays in its column, or goes to the first. */
  exchange(text: string, column: 'same' | 'first'): HeldLine {
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
    const at = find(CONTROL, text, index);
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

  #begin(state: State): void {
    this.#state = state;
    this.#parameters = '';
  }

  #settleReturn(): void {
    if (!this.#returning) return;
    this.#returning = false;
    this.#buffer.moveTo(0);
  }

  #skipString(text: string, { index, end }: { index: number; end: RegExp }): number {
    const at = find(end, text, index);
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

function find(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match === null ? text.length : match.index;
}
