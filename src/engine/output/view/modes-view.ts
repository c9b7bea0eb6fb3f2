import { toCompactSize } from '../../text/size.ts';
import { isBinary } from '../binary.ts';
import { countLines } from '../kept/line-places.ts';
import { sampleOf } from '../kept/sample.ts';
import type { RawSource } from '../kept/source.ts';
import { type Mask, NO_MASK } from '../mask.ts';
import { gatherLines } from './gather.ts';
import { partsOf, selectRegion } from './region.ts';
import { renderBinary } from './render-binary.ts';
import { type JoinedText, TextEnds } from './text-ends.ts';
import { artifactIdOf, type LineRange, type View } from './view.ts';

export interface ModesViewOptions {
  /** `artifact://<id>`, or `null` when the full output was not kept. */
  readonly artifact: string | null;
  readonly mask?: Mask;
}

const WHOLE_BYTES = 128 * 1024;
const END_BYTES = 4 * 1024;
const SCAN_BYTES = 16 * 1024 * 1024;

/** What the `modes` profile shows: up to 128 KiB whole, beyond that the first and the last 4 KiB. */
export async function toModesView(
  raw: RawSource,
  { artifact, mask = NO_MASK }: ModesViewOptions,
): Promise<View> {
  const sample = await sampleOf(raw);
  const source = await countLines(raw);
  if (isBinary(sample)) return renderBinary(source, { head: sample.head, artifact });
  const region = await selectRegion(source, { headLines: null, tailLines: null });
  const joined = new TextEnds({ wholeBytes: WHOLE_BYTES, endBytes: END_BYTES });
  await gatherLines(
    source,
    { region, parts: partsOf(source, region, SCAN_BYTES), mask, hold: WHOLE_BYTES },
    joined,
  );
  return renderJoined(joined.finish(), {
    totalBytes: source.totalBytes,
    totalLines: source.totalLines,
    artifact,
  });
}

interface Totals {
  readonly totalBytes: number;
  readonly totalLines: number;
  readonly artifact: string | null;
}

function renderJoined(joined: JoinedText, { totalBytes, totalLines, artifact }: Totals): View {
  const totals = { totalBytes, totalLines };
  if (joined.kind === 'whole') {
    const shown = totalLines === 0 ? [] : [{ from: 1, to: totalLines }];
    return { text: joined.text, ...totals, shown, omitted: null, truncation: null, binary: false };
  }
  const { first, last } = joined;
  const got = toCompactSize(joined.bytes ?? totalBytes);
  const [headRange, tailRange] = rangesOf(first, last, totalLines);
  const outputLines = headRange.to + totalLines - tailRange.from + 1;
  const outputBytes = Buffer.byteLength(first) + Buffer.byteLength(last);
  const hiddenLines = Math.max(0, totalLines - outputLines);
  return {
    text: `[output truncated in middle: got ${got}, max is ${toCompactSize(WHOLE_BYTES)}]\n${first}\n\n[snip]\n\n${last}`,
    ...totals,
    shown: hiddenLines === 0 ? [{ from: 1, to: totalLines }] : [headRange, tailRange],
    omitted: { lines: hiddenLines, bytes: Math.max(0, (joined.bytes ?? totalBytes) - outputBytes) },
    truncation: {
      direction: 'middle',
      truncatedBy: 'bytes',
      ...totals,
      outputLines: totalLines - hiddenLines,
      outputBytes,
      headRange,
      tailRange,
      ...(artifact === null ? {} : { artifactId: artifactIdOf(artifact) }),
    },
    binary: false,
  };
}

/** A line that is shown in part is shown. */
function rangesOf(first: string, last: string, totalLines: number): [LineRange, LineRange] {
  return [
    { from: 1, to: Math.max(1, countLinesOf(first)) },
    { from: totalLines - Math.max(1, countLinesOf(last)) + 1, to: totalLines },
  ];
}

function countLinesOf(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
