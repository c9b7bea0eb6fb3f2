import { toGroupedNumber, toHumanSize } from '../../text/size.ts';
import { gapsOf } from './line-places.ts';
import type { RawSource } from './source.ts';

/** What was printed and is not there. */
export function renderGaps(source: RawSource): string[] {
  return gapsOf(source).map(({ from, to }) => {
    const range = `${toGroupedNumber(from)} to ${toGroupedNumber(to)}`;
    return `Bytes ${range} of the output (${toHumanSize(to - from)}) are not there: they were dropped or could not be kept.`;
  });
}

/** Why this is not all that was asked for. */
export function renderCap(maxBytes: number, next: string): string {
  return `One reading gives at most ${toHumanSize(maxBytes)}; ${next}.`;
}

export const INEXACT_LINES = 'Line numbers after what is missing count only what is there.';
