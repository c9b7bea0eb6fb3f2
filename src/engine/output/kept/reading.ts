import type { Mask } from '../mask.ts';
import type { LineRange } from '../view/view.ts';
import type { Extent } from './source.ts';

/** Some text of an output. What is missing from it, and how to go on, is in the notes. */
export interface Excerpt {
  readonly text: string;
  /** The lines of the text; empty for a range of bytes. */
  readonly lines: readonly LineRange[];
  readonly notes: readonly string[];
}

/** Raw bytes of an output: not decoded, not masked. */
export interface RawExcerpt extends Extent {
  readonly bytes: Buffer;
  readonly notes: readonly string[];
}

export interface ReadLimits {
  /** What one reading gives at most. */
  readonly maxBytes: number;
  readonly mask: Mask;
}
