import { createRequire } from 'node:module';
import type { IBufferCell, IUnicodeVersionProvider, Terminal } from '@xterm/headless';
import type { TerminalSize } from '../run/run-terminal.ts';
import { characterWidth } from '../text/display-width.ts';
import { type KeyModes, type TrackedModes, trackKeyModes } from './key-modes.ts';

/** Lines that stay readable after they have left the screen at the top. */
const SCROLLBACK_LINES = 10_000;

/** Size and query handling of a `Screen`. */
export interface ScreenOptions extends TerminalSize {
  /** Receives the answers to the program's queries: cursor position, terminal type, colours. */
  readonly onAnswer?: (bytes: string) => void;
  /** Whether the colours in the answers are those of a light theme. */
  readonly isLight?: boolean;
}

/** A terminal emulator: reads what a program draws and holds the resulting screen. */
export class Screen {
  readonly #terminal: Terminal;
  readonly #tracked: TrackedModes;

  constructor({ columns, rows, onAnswer, isLight = false }: ScreenOptions) {
    this.#terminal = new (loadTerminal())({
      cols: columns,
      rows,
      scrollback: SCROLLBACK_LINES,
      allowProposedApi: true,
    });
    const { unicode } = this.#terminal;
    const widths = createUnicodeWidths();
    unicode.register(widths);
    unicode.activeVersion = widths.version;
    this.#tracked = trackKeyModes(this.#terminal, (bytes) => onAnswer?.(bytes));
    if (onAnswer !== undefined) {
      this.#terminal.onData(onAnswer);
      answerColours(this.#terminal, { answer: onAnswer, isLight });
    }
  }

  get size(): TerminalSize {
    return { columns: this.#terminal.cols, rows: this.#terminal.rows };
  }

  get modes(): KeyModes {
    const { applicationCursorKeysMode, bracketedPasteMode } = this.#terminal.modes;
    return {
      applicationCursor: applicationCursorKeysMode,
      bracketedPaste: bracketedPasteMode,
      kitty: this.#tracked.kitty(),
      modifyOtherKeys: this.#tracked.modifyOtherKeys(),
    };
  }

  /** Whether the program shows the cursor. */
  get isCursorShown(): boolean {
    return !this.#tracked.isCursorHidden();
  }

  /** Whether the program uses the alternate screen, as an editor does. */
  get isFull(): boolean {
    return this.#terminal.buffer.active.type === 'alternate';
  }

  /** Counted from 0, within the screen. */
  get cursor(): { readonly column: number; readonly row: number } {
    const { cursorX: column, cursorY: row } = this.#terminal.buffer.active;
    return { column, row };
  }

  /**
   * Resolves when the bytes have been processed; a caller that waits for it does not fill the emulator's
   * buffer.
   */
  write(bytes: Uint8Array | string): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(bytes, resolve));
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#terminal.resize(columns, rows);
  }

  /** The current rows of the screen, without empty rows at the end. */
  rows(): string[] {
    const { active } = this.#terminal.buffer;
    const rows: string[] = [];
    for (let at = active.baseY; at < active.baseY + this.#terminal.rows; at++)
      rows.push(active.getLine(at)?.translateToString(true) ?? '');
    return withoutEmptyEnd(rows);
  }

  /** All rows of the screen, with their colours. */
  painted(): PaintedRow[] {
    return renderStyledRows(this.#terminal);
  }

  /** All lines, including the scrollback; wrapped lines are joined. */
  lines(): string[] {
    // The alternate screen is discarded when a program leaves it.
    const { normal } = this.#terminal.buffer;
    const lines: string[] = [];
    for (let at = 0; at < normal.length; at++) {
      const line = normal.getLine(at);
      if (line === undefined) continue;
      const isLast = !(normal.getLine(at + 1)?.isWrapped ?? false);
      const text = line.translateToString(isLast);
      if (line.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
      else lines.push(text);
    }
    return withoutEmptyEnd(lines);
  }

  /** Whether lines have left the scrollback. */
  get isCut(): boolean {
    const { normal } = this.#terminal.buffer;
    return normal.length >= SCROLLBACK_LINES + this.#terminal.rows;
  }

  close(): void {
    this.#terminal.dispose();
  }
}

/** Foreground, background and cursor colour by OSC number. */
const COLOURS = {
  dark: { 10: 'cccc/cccc/cccc', 11: '0000/0000/0000', 12: 'cccc/cccc/cccc' },
  light: { 10: '3333/3333/3333', 11: 'ffff/ffff/ffff', 12: '3333/3333/3333' },
} as const;

interface ColourAnswers {
  readonly answer: (bytes: string) => void;
  readonly isLight: boolean;
}

function answerColours(terminal: Terminal, { answer, isLight }: ColourAnswers): void {
  for (const [code, colour] of Object.entries(COLOURS[isLight ? 'light' : 'dark']))
    terminal.parser.registerOscHandler(Number(code), (data) => {
      if (data !== '?') return false;
      answer(`\x1b]${code};rgb:${colour}\x1b\\`);
      return true;
    });
}

/** The package is CommonJS and large, so it is loaded only for a terminal. */
function loadTerminal(): typeof Terminal {
  const require = createRequire(import.meta.url);
  return (require('@xterm/headless') as { Terminal: typeof Terminal }).Terminal;
}

function withoutEmptyEnd(lines: string[]): string[] {
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

/** A row of the screen as plain text, and as text with colour sequences. */
interface PaintedRow {
  readonly text: string;
  readonly painted: string;
}

/** The rows of the screen with colour sequences that another terminal can draw. */
function renderStyledRows(terminal: Terminal): PaintedRow[] {
  const { active } = terminal.buffer;
  const cell = active.getNullCell();
  return Array.from({ length: terminal.rows }, (_, row) => {
    const line = active.getLine(active.baseY + row);
    let text = '';
    let painted = '';
    let style = '';
    for (let column = 0; column < terminal.cols; column++) {
      const found = line?.getCell(column, cell);
      // The second half of a wide character.
      if (found === undefined || found.getWidth() === 0) continue;
      const next = styleOf(found);
      if (next !== style) painted += `\x1b[0${next}m`;
      style = next;
      const characters = found.getChars() || ' ';
      text += characters;
      painted += characters;
    }
    return { text, painted: style === '' ? painted : `${painted}\x1b[0m` };
  });
}

/** SGR parameters after a reset, each with a leading semicolon. */
function styleOf(cell: IBufferCell): string {
  const flags = [
    cell.isBold() ? ';1' : '',
    cell.isDim() ? ';2' : '',
    cell.isItalic() ? ';3' : '',
    cell.isUnderline() ? ';4' : '',
    cell.isInverse() ? ';7' : '',
    cell.isInvisible() ? ';8' : '',
    cell.isStrikethrough() ? ';9' : '',
  ].join('');
  const foreground = colourOf(38, {
    isRgb: cell.isFgRGB(),
    isPalette: cell.isFgPalette(),
    value: cell.getFgColor(),
  });
  const background = colourOf(48, {
    isRgb: cell.isBgRGB(),
    isPalette: cell.isBgPalette(),
    value: cell.getBgColor(),
  });
  return flags + foreground + background;
}

interface Colour {
  readonly isRgb: boolean;
  readonly isPalette: boolean;
  readonly value: number;
}

function colourOf(code: 38 | 48, { isRgb, isPalette, value }: Colour): string {
  if (isPalette) return `;${code};5;${value}`;
  return isRgb ? `;${code};2;${(value >> 16) & 255};${(value >> 8) & 255};${value & 255}` : '';
}

/** Widths of higher code points are not cached. */
const CACHED_CODE_POINTS = 0x20000;

/**
 * Character widths of current Unicode. The emulator's own table is Unicode 6, in which an emoji takes one
 * column, so that the rest of the row would be shifted.
 */
function createUnicodeWidths(): IUnicodeVersionProvider {
  // Each entry is the width plus one; 0 means not computed yet.
  const known = new Uint8Array(CACHED_CODE_POINTS);
  const look = (code: number): 0 | 1 | 2 => {
    const before = known[code] ?? 0;
    const width = before > 0 ? ((before - 1) as 0 | 1 | 2) : widthOf(code);
    if (code < CACHED_CODE_POINTS) known[code] = width + 1;
    return width;
  };
  const wcwidth = (code: number): 0 | 1 | 2 => (code >= 0x20 && code < 0x7f ? 1 : look(code));
  return {
    version: 'nacre',
    wcwidth,
    charProperties: (code, preceding) => {
      const width = wcwidth(code);
      const widthBefore = (preceding >> 1) & 3;
      const isJoined = width === 0 && preceding !== 0 && widthBefore > 0;
      return ((isJoined ? widthBefore : width) << 1) | (isJoined ? 1 : 0);
    },
  };
}

function widthOf(code: number): 0 | 1 | 2 {
  if (code < 0xa0) return code < 0x20 || code >= 0x7f ? 0 : 1;
  // The emoji variation selector is drawn over the character before it and does not widen it here.
  return code === 0xfe0f ? 0 : characterWidth(String.fromCodePoint(code));
}
