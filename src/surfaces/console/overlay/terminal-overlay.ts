import {
  encodeKey,
  encodePaste,
  encodeText,
  type LiveTerminal,
  readKey,
  Screen,
  type TerminalSize,
} from '../../../index.ts';
import { clip } from '../../table/clip.ts';
import { linesOf } from '../cards/render-card.ts';
import type { Key } from '../keys/key.ts';
import type { Layer, LayerPlace } from '../layer.ts';
import { keyRow } from '../panels/list.ts';
import type { FrameSize } from '../screen/frame.ts';
import type { Scene } from '../screen/painter.ts';
import { type Row, span, spread } from '../screen/row.ts';

/** A row for its name above, one for what keys do below. */
const FRAME_ROWS = 2;

/** Ends every program, also one to which `esc` means something. */
export const END_KEY = 'ctrl-]';

/** Alt and a key, or escape and then that key. */
const WITH_ESCAPE = /^\x1b[^[O]$/su;

export interface OverlayOptions extends LayerPlace {
  readonly command: string;
  readonly size: FrameSize;
  /** Ends the command. */
  readonly stop: () => void;
}

/** A program on a terminal of its own, drawn inside ours. */
export class TerminalOverlay implements Layer {
  readonly #options: OverlayOptions;
  readonly #screen: Screen;
  #terminal: LiveTerminal | null = null;

  constructor(options: OverlayOptions) {
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
    // The window may have changed since it was started.
    void terminal.resize(this.#screen.size);
  }

  /** What the program drew; whoever waits cannot outrun the emulator. */
  async write(bytes: Buffer): Promise<void> {
    await this.#screen.write(Buffer.from(bytes));
    this.#options.refresh();
  }

  render({ columns, rows }: FrameSize): Scene {
    const { isFull, cursor, isCursorShown, modes } = this.#screen;
    const body = this.#screen
      .painted()
      .slice(0, rows - FRAME_ROWS)
      .map(({ text, painted }): Row => [{ text: text.slice(0, columns), tone: 'plain', painted }]);
    const keys = isFull ? [END_KEY, 'ends it'] : ['esc', `or ${END_KEY} ends it`];
    const name = clip(linesOf(this.#options.command)[0] ?? '', columns - 16);
    const head = spread([span(`   ${name}`, 'key')], [span('terminal ', 'status')], columns);
    return {
      rows: [head, ...pad(body, rows - FRAME_ROWS), keyRow(...keys)],
      cursor: isCursorShown ? { row: cursor.row + 1, column: Math.min(cursor.column, columns - 1) } : null,
      keys: modes,
    };
  }

  onKey(key: Key): void {
    // A program that has the whole screen has its own use for `esc`.
    const isEnd = key.name === END_KEY || (key.name === 'escape' && !this.#screen.isFull);
    if (isEnd) this.#options.stop();
    else this.#send(this.#encode(key));
  }

  onResize(size: FrameSize): void {
    this.#screen.resize(innerSize(size));
    void this.#terminal?.resize(this.#screen.size);
  }

  onClose(): void {
    this.#screen.close();
  }

  /** What the program would get from a terminal of its own, however it came to us. */
  #encode({ name, text, raw }: Key): string {
    const { modes } = this.#screen;
    if (name === 'paste') return encodePaste(text, modes);
    // From a terminal of the old kind it may have been escape and then the letter, typed fast: the program decides.
    if (modes.kitty === 0 && WITH_ESCAPE.test(raw)) return raw;
    const key = readKey(raw);
    return key === null ? encodeText(raw, modes) : encodeKey(key, modes);
  }

  #send(bytes: string): void {
    void this.#terminal?.send(bytes).catch(() => undefined);
  }
}

function innerSize({ columns, rows }: FrameSize): TerminalSize {
  return { columns, rows: Math.max(1, rows - FRAME_ROWS) };
}

function pad(rows: readonly Row[], count: number): readonly Row[] {
  return [...rows, ...Array.from({ length: Math.max(0, count - rows.length) }, (): Row => [])];
}
