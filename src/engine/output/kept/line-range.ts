import { LineReader } from '../../text/line-reader.ts';
import { type LineRange, toRanges } from '../view/view.ts';
import { countLines, countNewlinesIn, layOut, skipLines, skipLinesBack } from './line-places.ts';
import { PAGE_COLUMNS, Page } from './page.ts';
import { INEXACT_LINES, renderCap, renderGaps } from './read-notes.ts';
import type { Excerpt, ReadLimits } from './reading.ts';
import type { Extent, RawSource } from './source.ts';

/** Lines by their numbers. */
export async function readLineRange(
  source: RawSource,
  range: LineRange,
  limits: ReadLimits,
): Promise<Excerpt> {
  const page = new Page(limits, 'first');
  const notes = renderGaps(source);
  for (const extent of await layOut(source)) {
    if (extent.firstLine > range.to || page.closed) break;
    const { offset, newlines } = await skipLines(source, extent, range.from - extent.firstLine);
    const number = extent.firstLine + newlines;
    if (number < range.from) continue;
    await readOnto(page, { source, part: { from: offset, to: extent.to }, number, last: range.to });
    if (!extent.exact) notes.push(INEXACT_LINES);
  }
  if (page.leftOut !== null) notes.push(renderCap(limits.maxBytes, `go on from line ${page.leftOut}`));
  else if (page.numbers.length === 0) notes.push(`Lines ${range.from} to ${range.to} are not there.`);
  return { text: page.text, lines: toRanges(page.numbers), notes };
}

/** The last lines. */
export async function readLastLines(source: RawSource, lines: number, limits: ReadLimits): Promise<Excerpt> {
  const notes = renderGaps(source);
  const last = source.extents.at(-1);
  if (last === undefined || lines <= 0) return { text: '', lines: [], notes };
  const counted = await countLines(source);
  const wanted = await skipLinesBack(source, last, lines);
  const part = {
    from: await nearEnd(source, { from: wanted.offset, to: last.to }, limits.maxBytes),
    to: last.to,
  };
  const number = counted.newlines - (await countNewlinesIn(source, part)) + 1;
  const page = new Page(limits, 'last');
  await readOnto(page, { source, part, number, last: Number.POSITIVE_INFINITY });
  if (!counted.exact) notes.push(INEXACT_LINES);
  const leftOut = page.leftOut ?? (part.from > wanted.offset ? number - 1 : null);
  if (leftOut !== null) notes.push(renderCap(limits.maxBytes, `lines up to ${leftOut} are left out`));
  return { text: page.text, lines: toRanges(page.numbers), notes };
}

/** Much more than fits is not decoded: where to begin instead, at the start of a line if there is one. */
async function nearEnd(source: RawSource, { from, to }: Extent, maxBytes: number): Promise<number> {
  const near = to - 8 * maxBytes;
  if (near <= from) return from;
  const { offset } = await skipLines(source, { from: near, to }, 1);
  return offset < to ? offset : near;
}

interface Reading {
  readonly source: RawSource;
  readonly part: Extent;
  /** Of the line in which the part begins. */
  readonly number: number;
  readonly last: number;
}

async function readOnto(page: Page, { source, part, number, last }: Reading): Promise<void> {
  let next = number;
  const cutStart = part.from > 0 && source.extents.some(({ from }) => from === part.from);
  const reader = new LineReader({
    hold: PAGE_COLUMNS + page.mask.longest,
    onLine: (line) => {
      if (next > last) return;
      const cutEnd = !line.ended && part.to < source.totalBytes;
      page.add(next, line, { start: cutStart && next === number, end: cutEnd });
      next += 1;
    },
  });
  for await (const bytes of source.read(part)) {
    reader.write(bytes);
    if (next > last || page.closed) return;
  }
  reader.end();
}
