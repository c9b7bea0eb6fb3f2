import { toGroupedNumber, toHumanSize } from '../../text/format-size.ts';
import { LineReader } from '../../text/line-reader.ts';
import { incompleteUtf8Bytes, leadingContinuationBytes } from '../../text/utf8.ts';
import type { LineRange } from '../output-view.ts';
import type { SecretMask } from '../secret-mask.ts';
import { findGaps } from './line-counting.ts';
import { type ByteRange, type RawOutput, readRangeBytes } from './raw-output.ts';

/** Text read from an output. The notes say what is missing and how to continue. */
export interface Excerpt {
  readonly text: string;
  /** Line numbers of the text; empty for a byte range. */
  readonly lines: readonly LineRange[];
  readonly notes: readonly string[];
}

/** Raw bytes of an output: not decoded, not masked. */
export interface RawExcerpt extends ByteRange {
  readonly bytes: Buffer;
  readonly notes: readonly string[];
}

/** Size limit and mask of an excerpt. */
export interface ExcerptLimits {
  /** Limit for one read. */
  readonly maxBytes: number;
  readonly mask: SecretMask;
}

/** One note for each part of the output that is missing. */
export function renderGapNotes(source: RawOutput): string[] {
  return findGaps(source).map(({ from, to }) => {
    const range = `${toGroupedNumber(from)} to ${toGroupedNumber(to)}`;
    return `Bytes ${range} of the output (${toHumanSize(to - from)}) are missing: they were dropped or could not be written.`;
  });
}

/** The note for an excerpt that was limited in size. */
export function renderLimitNote(maxBytes: number, next: string): string {
  return `Limited to ${toHumanSize(maxBytes)} per read; ${next}.`;
}

/** The note for line numbers after a gap. */
export const INEXACT_LINES_NOTE = 'Line numbers after a missing part count only stored lines.';

const MAX_RAW_BYTES = 1024 * 1024;

/** Reads raw bytes, up to the next gap or the size limit. */
export async function readByteRange(source: RawOutput, extent: ByteRange): Promise<RawExcerpt> {
  const { part, notes } = clampRange(source, extent, MAX_RAW_BYTES);
  const bytes = await readRangeBytes(source, part);
  return { from: part.from, to: part.from + bytes.length, bytes, notes };
}

/** Reads a byte range as text. A secret that is only partly in the range is masked, too. */
export async function readByteText(
  source: RawOutput,
  extent: ByteRange,
  limits: ExcerptLimits,
): Promise<Excerpt> {
  const { part, notes } = clampRange(source, extent, limits.maxBytes);
  const around = source.extents.find(({ from, to }) => from <= part.from && part.to <= to) ?? part;
  const margin = 4 * limits.mask.maxSecretLength;
  const before = { from: Math.max(around.from, part.from - margin), to: part.from };
  const after = { from: part.to, to: Math.min(around.to, part.to + margin) };
  const [start, middle, end] = await Promise.all(
    [before, part, after].map((each) => readRangeBytes(source, each)),
  );
  const texts = [start, trimPartialCharacters(middle), end].map(decodeText);
  const from = texts[0]?.length ?? 0;
  const text = limits.mask.applyPart(texts.join(''), { from, to: from + (texts[1]?.length ?? 0) });
  return { text, lines: [], notes };
}

function clampRange(
  source: RawOutput,
  wanted: ByteRange,
  maxBytes: number,
): { part: ByteRange; notes: string[] } {
  const notes = renderGapNotes(source);
  const extent = source.extents.find(({ to }) => wanted.from < to) ?? {
    from: source.totalBytes,
    to: source.totalBytes,
  };
  const from = Math.max(0, wanted.from, extent.from);
  const end = Math.max(from, Math.min(wanted.to, extent.to));
  const to = Math.min(end, from + maxBytes);
  if (to < end) notes.push(renderLimitNote(maxBytes, `continue from byte ${to}`));
  else if (to < Math.min(wanted.to, source.totalBytes))
    notes.push(`The stored part ends at byte ${toGroupedNumber(to)}.`);
  return { part: { from, to }, notes };
}

/** Drops the parts of characters that the range splits. */
function trimPartialCharacters(bytes: Buffer = Buffer.alloc(0)): Buffer {
  return bytes.subarray(leadingContinuationBytes(bytes), bytes.length - incompleteUtf8Bytes(bytes));
}

function decodeText(bytes: Buffer = Buffer.alloc(0)): string {
  let text = '';
  const reader = new LineReader({
    edgeCharacters: MAX_RAW_BYTES,
    onLine: (line) => {
      text += line.ended ? `${line.text}\n` : line.text;
    },
  });
  reader.write(bytes);
  reader.end();
  return text;
}
