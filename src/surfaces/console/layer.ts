import type { Key } from './keys/key.ts';
import type { FrameSize, Picture } from './screen/frame.ts';

/** Something that has the screen, and the keys, for a while. */
export interface Layer {
  render(size: FrameSize): Picture;
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
