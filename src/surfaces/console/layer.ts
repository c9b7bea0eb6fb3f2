import type { Key } from './keys/key.ts';
import type { FrameSize } from './screen/frame.ts';
import type { Scene } from './screen/painter.ts';

/** Something that has the screen, and the keys, for a while. */
export interface Layer {
  render(size: FrameSize): Scene;
  onKey(key: Key): void;
  onResize?(size: FrameSize): void;
  /** It is left: what it opened is given back. */
  onClose?(): void;
}

/** What a layer may do to the console. */
export interface LayerPlace {
  /** Something has changed: draw it soon. */
  readonly refresh: () => void;
  /** Leaves the layer. */
  readonly close: () => void;
}
