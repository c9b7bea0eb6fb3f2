import { createRequire } from 'node:module';
import type { Terminal } from '@xterm/headless';
import type { TerminalSize } from '../run/supervise/terminal.ts';
import type { KeyModes } from './keys/key-modes.ts';
import { type Tracked, trackKeys } from './keys/track-keys.ts';
import { type PaintedRow, paintRows } from './paint-rows.ts';
import { createWidths } from './widths.ts';

/** How much of what left the screen at the top stays readable. */
const SCROLLBACK_LINES = 10_000;

export interface ScreenOptions extends TerminalSize {
  /** Answers to what the program asks of its terminal: the place of the cursor, its kind, its colours. */
  readonly onAnswer?: (bytes: string) => void;
  /** What is answered to a program that asks for the colours. */
  readonly isLight?: boolean;
}

/** What a person in front of a terminal sees: the emulator that reads what a program draws. */
export class Screen {
  readonly #terminal: Terminal;
  readonly #tracked: Tracked;

  constructor({ columns, rows, onAnswer, isLight = false }: ScreenOptions) {
    this.#terminal = new (loadTerminal())({
      cols: columns,
      rows,
      scrollback: SCROLLBACK_LINES,
      allowProposedApi: true,
    });
    const { unicode } = this.#terminal;
    const widths = createWidths();
    unicode.register(widths);
    unicode.activeVersion = widths.version;
    this.#tracked = trackKeys(this.#terminal, (bytes) => onAnswer?.(bytes));
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

  /** Whether the program wants the cursor to be seen. */
  get isCursorShown(): boolean {
    return !this.#tracked.isCursorHidden();
  }

  /** Whether the program has taken the whole screen, as an editor does. */
  get isFull(): boolean {
    return this.#terminal.buffer.active.type === 'alternate';
  }

  /** Counted from 0, within the screen. */
  get cursor(): { readonly column: number; readonly row: number } {
    const { cursorX: column, cursorY: row } = this.#terminal.buffer.active;
    return { column, row };
  }

  /** Resolves when it has been read; whoever waits for that cannot outrun the emulator. */
  write(bytes: Uint8Array | string): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(bytes, resolve));
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#terminal.resize(columns, rows);
  }

  /** The rows of the screen as they are now, without the empty ones at the end. */
  rows(): string[] {
    const { active } = this.#terminal.buffer;
    const rows: string[] = [];
    for (let at = active.baseY; at < active.baseY + this.#terminal.rows; at++)
      rows.push(active.getLine(at)?.translateToString(true) ?? '');
    return withoutEmptyEnd(rows);
  }

  /** The same with their colours, all of them. */
  painted(): PaintedRow[] {
    return paintRows(this.#terminal);
  }

  /** Everything that is still there, scrolled out or not; lines that were wrapped are whole again. */
  lines(): string[] {
    // An editor's screen is not what remains when it is left.
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

  /** Whether something has been scrolled out for good. */
  get isCut(): boolean {
    const { normal } = this.#terminal.buffer;
    return normal.length >= SCROLLBACK_LINES + this.#terminal.rows;
  }

  close(): void {
    this.#terminal.dispose();
  }
}

/** Text, ground and cursor, by the number they are asked for with. */
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

/** The package is CommonJS, and large: it is loaded when there is a terminal. */
function loadTerminal(): typeof Terminal {
  const require = createRequire(import.meta.url);
  return (require('@xterm/headless') as { Terminal: typeof Terminal }).Terminal;
}

function withoutEmptyEnd(lines: string[]): string[] {
  while (lines.at(-1) === '') lines.pop();
  return lines;
}
