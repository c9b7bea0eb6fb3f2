import type { KeyModes } from '../../../index.ts';
import { FrameRenderer, type ScreenContent, type ScreenSize } from './frame-renderer.ts';
import type { Theme } from './styled-row.ts';
import type { TerminalDevice } from './terminal-device.ts';
import { KeyboardProtocol } from './terminal-device.ts';

/** The shortest time between two frames. */
const FRAME_MS = 33;
/** The same after a key press. */
const KEY_MS = 8;
const SPIN_MS = 90;

export interface ScreenPainterOptions {
  readonly device: TerminalDevice;
  readonly theme: Theme;
  readonly render: (size: ScreenSize) => ScreenScene;
}

/** A frame with its animation and keyboard mode. */
export interface ScreenScene extends ScreenContent {
  /** Whether the frame is animated. */
  readonly spins?: boolean;
  /** The keyboard mode while the frame is shown. */
  readonly keys?: Pick<KeyModes, 'kitty' | 'modifyOtherKeys'>;
}

/** Draws the screen after changes, at a limited rate. */
export class ScreenPainter {
  readonly #options: ScreenPainterOptions;
  readonly #frame: FrameRenderer;
  readonly #keyboard = new KeyboardProtocol();
  #timer: NodeJS.Timeout | undefined;
  #due = 0;
  #drawnAt = 0;
  #isClosed = false;

  constructor(options: ScreenPainterOptions) {
    this.#options = options;
    this.#frame = new FrameRenderer(options.theme);
  }

  get keyboard(): KeyboardProtocol {
    return this.#keyboard;
  }

  /** Schedules a frame after a change. */
  readonly refresh = (): void => this.#drawAt(this.#drawnAt + FRAME_MS);

  /** Schedules a frame with the shorter delay after a key press. */
  readonly refreshForKey = (): void => this.#drawAt(this.#drawnAt + KEY_MS);

  /** Schedules a full redraw after a panel change or a resize. */
  redrawAll(): void {
    this.#frame.invalidate();
    this.refresh();
  }

  setTheme(theme: Theme): void {
    this.#frame.setTheme(theme);
    this.refresh();
  }

  draw(): void {
    if (this.#isClosed) return;
    const { device, render } = this.#options;
    const { size } = device;
    const scene = render(size);
    device.write(this.#keyboard.toModeSequence(scene.keys) + this.#frame.draw(scene, size));
    this.#drawnAt = performance.now();
    if (scene.spins) this.#drawAt(this.#drawnAt + SPIN_MS);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#options.device.write(this.#keyboard.toResetSequence());
  }

  #drawAt(due: number): void {
    if (this.#isClosed || (this.#timer !== undefined && this.#due <= due)) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.draw();
      },
      Math.max(0, due - performance.now()),
    );
  }
}
