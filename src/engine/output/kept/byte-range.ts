import { LineReader } from '../../text/line-reader.ts';
import { toGroupedNumber } from '../../text/size.ts';
import { unfinishedBytes } from '../../text/utf8.ts';
import { renderCap, renderGaps } from './read-notes.ts';
import type { Excerpt, RawExcerpt, ReadLimits } from './reading.ts';
import { collectBytes } from './sample.ts';
import type { Extent, RawSource } from './source.ts';

const MAX_RAW_BYTES = 1024 * 1024;

/** Raw bytes from one place: up to the next gap, up to the cap. */
export async function readBytes(source: RawSource, extent: Extent): Promise<RawExcerpt> {
  const { part, notes } = clamp(source, extent, MAX_RAW_BYTES);
  const bytes = await collectBytes(source, part);
  return { from: part.from, to: part.from + bytes.length, bytes, notes };
}

/** The same as text. A secret of which only a part is in the range is masked all the same. */
export async function readByteText(source: RawSource, extent: Extent, limits: ReadLimits): Promise<Excerpt> {
  const { part, notes } = clamp(source, extent, limits.maxBytes);
  const around = source.extents.find(({ from, to }) => from <= part.from && part.to <= to) ?? part;
  const margin = 4 * limits.mask.longest;
  const before = { from: Math.max(around.from, part.from - margin), to: part.from };
  const after = { from: part.to, to: Math.min(around.to, part.to + margin) };
  const [start, middle, end] = await Promise.all(
    [before, part, after].map((each) => collectBytes(source, each)),
  );
  const texts = [start, wholeCharacters(middle), end].map(toText);
  const from = texts[0]?.length ?? 0;
  const text = limits.mask.applyPart(texts.join(''), { from, to: from + (texts[1]?.length ?? 0) });
  return { text, lines: [], notes };
}

function clamp(source: RawSource, wanted: Extent, maxBytes: number): { part: Extent; notes: string[] } {
  const notes = renderGaps(source);
  const extent = source.extents.find(({ to }) => wanted.from < to) ?? {
    from: source.totalBytes,
    to: source.totalBytes,
  };
  const from = Math.max(0, wanted.from, extent.from);
  const end = Math.max(from, Math.min(wanted.to, extent.to));
  const to = Math.min(end, from + maxBytes);
  if (to < end) notes.push(renderCap(maxBytes, `go on from byte ${to}`));
  else if (to < Math.min(wanted.to, source.totalBytes))
    notes.push(`This is all up to byte ${toGroupedNumber(to)}.`);
  return { part: { from, to }, notes };
}

/** A range may begin and end in the middle of a character. */
function wholeCharacters(bytes: Buffer = Buffer.alloc(0)): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start, bytes.length - unfinishedBytes(bytes));
}

function toText(bytes: Buffer = Buffer.alloc(0)): string {
  let text = '';
  const reader = new LineReader({
    hold: MAX_RAW_BYTES,
    onLine: (line) => {
      text += line.ended ? `${line.text}\n` : line.text;
    },
  });
  reader.write(bytes);
  reader.end();
  return text;
}
