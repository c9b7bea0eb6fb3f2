import type { KeyModes } from '../../../index.ts';
import type { Device } from './device.ts';
import { Frame, type FrameSize, type Picture } from './frame.ts';
import { Keyboard } from './keyboard.ts';
import type { Theme } from './theme.ts';

/** From one picture to the next: fast enough to look alive, slow enough to cost nothing. */
const FRAME_MS = 33;
/** The same after a key: a person waits for it. */
const KEY_MS = 8;
const SPIN_MS = 90;

export interface PainterOptions {
  readonly device: Device;
  readonly theme: Theme;
  readonly render: (size: FrameSize) => Scene;
}

/** A picture, and what belongs to it. */
export interface Scene extends Picture {
  /** Whether something in it moves by itself. */
  readonly spins?: boolean;
  /** How keys should come while it is shown. */
  readonly keys?: Pick<KeyModes, 'kitty' | 'modifyOtherKeys'>;
}

/** Draws when something has changed, and not more often than a person can see: many changes are one picture. */
export class Painter {
  readonly #options: PainterOptions;
  readonly #frame: Frame;
  readonly #keyboard = new Keyboard();
  #timer: NodeJS.Timeout | undefined;
  #due = 0;
  #drawnAt = 0;
  #isClosed = false;

  constructor(options: PainterOptions) {
    this.#options = options;
    this.#frame = new Frame(options.theme);
  }

  get keyboard(): Keyboard {
    return this.#keyboard;
  }

  /** Something has changed. After a pause it is drawn at once, else when it is time for another picture. */
  readonly refresh = (): void => this.#drawAt(this.#drawnAt + FRAME_MS);

  /** A key was pressed: what it did is drawn before everything else. */
  readonly refreshForKey = (): void => this.#drawAt(this.#drawnAt + KEY_MS);

  /** Another layer, or another window: everything is drawn again. */
  forget(): void {
    this.#frame.forget();
    this.refresh();
  }

  wear(theme: Theme): void {
    this.#frame.wear(theme);
    this.refresh();
  }

  draw(): void {
    if (this.#isClosed) return;
    const { device, render } = this.#options;
    const { size } = device;
    const scene = render(size);
    device.write(this.#keyboard.want(scene.keys) + this.#frame.draw(scene, size));
    this.#drawnAt = performance.now();
    if (scene.spins) this.#drawAt(this.#drawnAt + SPIN_MS);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#options.device.write(this.#keyboard.leave());
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
