import type { RawSource } from '../kept/source.ts';
import type { Mask } from '../mask.ts';
import type { View } from './view.ts';

/** Most commands print less than this. */
const MOST_BYTES = 4096;

/** Anything but letters as a terminal shows them one after the other, tabs and newlines. */
const SPECIAL = /[^\t\n\x20-\x7e]/;

export interface ShortOptions {
  readonly mask: Mask;
  readonly limits: { readonly budgetBytes: number; readonly wideColumns: number };
}

/**
 * A short and plain output as it is; `null` for any other. The long way gives the same (a test holds it), in a time that a
 * command which prints a word does not take itself.
 */
export function viewShort(raw: RawSource, { mask, limits }: ShortOptions): View | null {
  const { whole, totalBytes, newlines, unterminated } = raw;
  const most = Math.min(MOST_BYTES, limits.budgetBytes, limits.wideColumns);
  if (whole === undefined || totalBytes > most || newlines === null || unterminated === null) return null;
  const text = whole.toString('latin1');
  if (SPECIAL.test(text) || mask.apply(text) !== text) return null;
  const totalLines = newlines + (unterminated ? 1 : 0);
  const shown = totalLines === 0 ? [] : [{ from: 1, to: totalLines }];
  return { text, totalBytes, totalLines, shown, omitted: null, truncation: null, binary: false };
}
