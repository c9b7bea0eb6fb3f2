import {
  encodeKey,
  encodePaste,
  encodeText,
  type LiveTerminal,
  readKey,
  Screen,
  type TerminalSize,
} from '../../../index.ts';
import { toPlainLines } from '../../rendering/printable.ts';
import { clipText } from '../../rendering/text-width.ts';
import type { ScreenSize } from '../screen/frame-renderer.ts';
import type { KeyPress } from '../screen/key-reader.ts';
import type { ScreenScene } from '../screen/screen-painter.ts';
import { justifyRow, type StyledRow, span } from '../screen/styled-row.ts';
import type { Panel, PanelHost } from './panel.ts';
import { blankRows, renderKeyHints } from './panel.ts';

/** A title row above and a row of key hints below. */
const FRAME_ROWS = 2;

/** Stops any program, including one that uses `esc` itself. */
export const STOP_KEY = 'ctrl-]';

/** Alt with a key, or escape followed by a key. */
const WITH_ESCAPE = /^\x1b[^[O]$/su;

export interface TerminalOverlayOptions extends PanelHost {
  readonly command: string;
  readonly size: ScreenSize;
  /** Stops the command. */
  readonly stop: () => void;
}

/** Shows a program on its own emulated terminal. */
export class TerminalOverlay implements Panel {
  readonly #options: TerminalOverlayOptions;
  readonly #screen: Screen;
  #terminal: LiveTerminal | null = null;

  constructor(options: TerminalOverlayOptions) {
    this.#options = options;
    this.#screen = new Screen({
      ...innerSize(options.size),
      onAnswer: (bytes) => this.#send(bytes),
    });
  }

  get size(): TerminalSize {
    return this.#screen.size;
  }

  attach(terminal: LiveTerminal): void {
    this.#terminal = terminal;
    // The window may have been resized since the start.
    void terminal.resize(this.#screen.size);
  }

  /** Writes the program's output to the emulator; the promise provides backpressure. */
  async write(bytes: Buffer): Promise<void> {
    await this.#screen.write(Buffer.from(bytes));
    this.#options.refresh();
  }

  render({ columns, rows }: ScreenSize): ScreenScene {
    const { isFull, cursor, isCursorShown, modes } = this.#screen;
    const body = this.#screen
      .painted()
      .slice(0, rows - FRAME_ROWS)
      .map(({ text, painted }): StyledRow => [{ text: text.slice(0, columns), tone: 'plain', painted }]);
    const keys = isFull ? [STOP_KEY, 'stops it'] : ['esc', `or ${STOP_KEY} stops it`];
    const name = clipText(toPlainLines(this.#options.command)[0] ?? '', columns - 16);
    const head = justifyRow([span(`   ${name}`, 'key')], [span('terminal ', 'status')], columns);
    return {
      rows: [head, ...body, ...blankRows(rows - FRAME_ROWS - body.length), renderKeyHints(...keys)],
      cursor: isCursorShown ? { row: cursor.row + 1, column: Math.min(cursor.column, columns - 1) } : null,
      keys: modes,
    };
  }

  onKey(key: KeyPress): void {
    // A full-screen program receives `esc` itself.
    const isStop = key.name === STOP_KEY || (key.name === 'escape' && !this.#screen.isFull);
    if (isStop) this.#options.stop();
    else this.#send(this.#encode(key));
  }

  onResize(size: ScreenSize): void {
    this.#screen.resize(innerSize(size));
    void this.#terminal?.resize(this.#screen.size);
  }

  onClose(): void {
    this.#screen.close();
  }

  /** Encodes a key in the mode that the program has requested. */
  #encode({ name, text, raw }: KeyPress): string {
    const { modes } = this.#screen;
    if (name === 'paste') return encodePaste(text, modes);
    // A legacy terminal sends the same bytes for alt with a key and for escape followed by the key, so they are
    // passed on unchanged.
    if (modes.kitty === 0 && WITH_ESCAPE.test(raw)) return raw;
    const key = readKey(raw);
    return key === null ? encodeText(raw, modes) : encodeKey(key, modes);
  }

  #send(bytes: string): void {
    void this.#terminal?.send(bytes).catch(() => undefined);
  }
}

function innerSize({ columns, rows }: ScreenSize): TerminalSize {
  return { columns, rows: Math.max(1, rows - FRAME_ROWS) };
}
