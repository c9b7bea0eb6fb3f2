import type { Mask } from '../../engine/output/mask.ts';
import { clipLine, endOnly, maskLine } from '../../engine/output/view/shown-line.ts';
import type { Line } from '../../engine/text/line-reader.ts';
import { LineReader } from '../../engine/text/line-reader.ts';

/** How much of the end of an output an update shows. */
export const LIVE_BYTES: number = 50 * 1024;

const COLUMNS = 2_000;

/** The end of an output that is still growing, as text. */
export function toLiveText(latest: Buffer, mask: Mask): string {
  const lines: Line[] = [];
  const reader = new LineReader({ hold: COLUMNS + mask.longest, onLine: (line) => lines.push(line) });
  reader.write(latest);
  reader.end();
  // Where bytes are missing before it, the first line may be the end of one, and of a secret.
  const isCut = latest.length >= LIVE_BYTES;
  const [first, ...rest] = lines;
  const shown = isCut && rest.length > 0 ? rest : lines;
  return shown.map((line) => render(line, { mask, isEndOnly: isCut && line === first })).join('');
}

function render(
  line: Line,
  { mask, isEndOnly }: { readonly mask: Mask; readonly isEndOnly: boolean },
): string {
  const masked = isEndOnly ? endOnly(line, mask) : maskLine(line, mask);
  const { text } = clipLine(masked, { characters: COLUMNS, bytes: LIVE_BYTES });
  return line.ended ? `${text}\n` : text;
}
