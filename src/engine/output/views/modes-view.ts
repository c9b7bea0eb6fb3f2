import { toCompactSize } from '../../text/format-size.ts';
import { copyString, utf8Prefix, utf8Suffix } from '../../text/utf8.ts';
import { isBinary } from '../binary-detection.ts';
import type { NumberedLine } from '../masked-line.ts';
import { createCompleteView, type LineRange, type OutputView, toArtifactId } from '../output-view.ts';
import { countLines } from '../raw/line-counting.ts';
import { type RawOutput, readSample } from '../raw/raw-output.ts';
import { NO_SECRET_MASK, type SecretMask } from '../secret-mask.ts';
import { gatherLines, type LineSink } from './gather-lines.ts';
import { selectRegion, splitRegion } from './output-region.ts';
import { renderBinaryView } from './render-view.ts';

interface HeadTailLimits {
  /** Text up to this size is kept whole. */
  readonly wholeBytes: number;
  /** Size of each end of a longer text. */
  readonly endBytes: number;
}

/** The text of all lines, or its two ends if it is too long. */
type JoinedText =
  | { readonly kind: 'whole'; readonly text: string }
  | {
      readonly kind: 'ends';
      readonly first: string;
      readonly last: string;
      /** Total size; `null` if part of it is unknown. */
      readonly bytes: number | null;
    };

/** Joins lines to a text in bounded memory. */
class HeadTailText implements LineSink {
  readonly #limits: HeadTailLimits;
  readonly #start: string[] = [];
  #end = '';
  #bytes = 0;
  #isComplete = true;
  /** Whether a part is missing before the next line. */
  #hasGap = false;

  constructor(limits: HeadTailLimits) {
    this.#limits = limits;
  }

  add({ line, ended }: NumberedLine): void {
    this.#append(line.start);
    if (line.missing !== null) {
      if (line.missing.bytes === null || line.missing.characters === null) this.#isComplete = false;
      this.#bytes += line.missing.bytes ?? 0;
      this.#hasGap = true;
    }
    this.#append(ended ? `${line.end}\n` : line.end);
  }

  markGap(): void {
    this.#isComplete = false;
    this.#hasGap = true;
  }

  finish(): JoinedText {
    const { wholeBytes, endBytes } = this.#limits;
    const start = this.#start.join('');
    if (!this.#hasGap && this.#bytes <= wholeBytes) return { kind: 'whole', text: copyString(start) };
    const bytes = this.#isComplete ? this.#bytes : null;
    return { kind: 'ends', first: utf8Prefix(start, endBytes), last: utf8Suffix(this.#end, endBytes), bytes };
  }

  #append(text: string): void {
    if (text === '') return;
    if (!this.#hasGap && this.#bytes <= this.#limits.wholeBytes) this.#start.push(text);
    this.#bytes += Buffer.byteLength(text);
    this.#end += text;
    // Not for every line: that would copy the end each time.
    if (this.#end.length > 16 * this.#limits.endBytes) this.#end = this.#end.slice(-this.#limits.endBytes);
  }
}

interface ModesViewOptions {
  /** `artifact://<id>`, or `null` when the full output was not kept. */
  readonly artifact: string | null;
  readonly mask?: SecretMask;
}

const WHOLE_BYTES = 128 * 1024;
const END_BYTES = 4 * 1024;
const SCAN_BYTES = 16 * 1024 * 1024;

/** Renders an output for the `modes` profile: up to 128 KiB whole, otherwise the first and last 4 KiB. */
export async function toModesView(
  raw: RawOutput,
  { artifact, mask = NO_SECRET_MASK }: ModesViewOptions,
): Promise<OutputView> {
  const sample = await readSample(raw);
  const source = await countLines(raw);
  if (isBinary(sample)) return renderBinaryView(source, { head: sample.head, artifact });
  const region = await selectRegion(source, { headLines: null, tailLines: null });
  const joined = new HeadTailText({ wholeBytes: WHOLE_BYTES, endBytes: END_BYTES });
  await gatherLines(
    source,
    { region, parts: splitRegion(source, region, SCAN_BYTES), mask, edgeCharacters: WHOLE_BYTES },
    joined,
  );
  return renderJoined(joined.finish(), { ...source, artifact });
}

interface OutputTotals {
  readonly totalBytes: number;
  readonly totalLines: number;
  readonly artifact: string | null;
}

function renderJoined(joined: JoinedText, { totalBytes, totalLines, artifact }: OutputTotals): OutputView {
  const totals = { totalBytes, totalLines };
  if (joined.kind === 'whole') return createCompleteView(joined.text, totals);
  const { first, last } = joined;
  const got = toCompactSize(joined.bytes ?? totalBytes);
  const [headRange, tailRange] = toEndRanges(first, last, totalLines);
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
      ...(artifact === null ? {} : { artifactId: toArtifactId(artifact) }),
    },
    binary: false,
  };
}

/** A partly shown line counts as shown. */
function toEndRanges(first: string, last: string, totalLines: number): [LineRange, LineRange] {
  return [
    { from: 1, to: Math.max(1, countLinesOf(first)) },
    { from: totalLines - Math.max(1, countLinesOf(last)) + 1, to: totalLines },
  ];
}

function countLinesOf(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
