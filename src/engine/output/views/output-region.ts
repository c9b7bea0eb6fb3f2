import type { LineRange } from '../output-view.ts';
import { type CountedOutput, skipLines, skipLinesBack } from '../raw/line-counting.ts';
import type { ByteRange, RawOutput } from '../raw/raw-output.ts';

/** The lines a call requests: the last `tailLines` of the first `headLines`. `null`: all. */
export interface RequestedLines {
  readonly headLines: number | null;
  readonly tailLines: number | null;
}

/** The part of an output that a view shows. */
export interface OutputRegion extends ByteRange {
  readonly firstLine: number;
  readonly lastLine: number;
  /** Whether it begins at the start of a line, or inside a line because the rest is lost. */
  readonly start: 'line' | 'cut';
  /** How the last line ends: with a newline, without one, or inside a line because the rest is lost. */
  readonly end: 'newline' | 'open' | 'cut';
  /** The requested lines, unless they are all; some may be lost. */
  readonly requested: LineRange | null;
  readonly complete: boolean;
}

/** Finds the byte range of the requested lines. */
export async function selectRegion(
  source: CountedOutput,
  { headLines, tailLines }: RequestedLines,
): Promise<OutputRegion> {
  const { totalBytes, totalLines } = source;
  const end = totalLines > source.newlines ? 'open' : 'newline';
  const whole: OutputRegion = {
    from: 0,
    to: totalBytes,
    firstLine: 1,
    lastLine: totalLines,
    start: 'line',
    end,
    requested: null,
    complete: true,
  };
  const first =
    headLines === null || headLines >= totalLines ? whole : await selectFirstLines(source, headLines);
  const wanted = first.requested?.to ?? totalLines;
  if (tailLines === null || tailLines >= wanted) return first;
  const last = await selectLastLines(source, first, tailLines);
  return { ...last, requested: { from: wanted - tailLines + 1, to: wanted } };
}

async function selectFirstLines(source: RawOutput, lines: number): Promise<OutputRegion> {
  const extent = source.extents.find(({ from }) => from === 0) ?? { from: 0, to: 0 };
  const { offset, newlines } = await skipLines(source, extent, lines);
  const complete = newlines === lines;
  const end = complete ? 'newline' : 'cut';
  const requested = { from: 1, to: lines };
  return {
    from: 0,
    to: offset,
    firstLine: 1,
    lastLine: complete ? lines : newlines + 1,
    start: 'line',
    end,
    requested,
    complete,
  };
}

async function selectLastLines(
  source: RawOutput,
  region: OutputRegion,
  lines: number,
): Promise<OutputRegion> {
  const { to, lastLine } = region;
  if (lines <= 0) return { ...region, from: to, firstLine: lastLine + 1 };
  const extent = source.extents.find((each) => each.from < to && to <= each.to) ?? { from: to, to };
  const from = Math.max(extent.from, region.from);
  const place = await skipLinesBack(source, { from, to }, lines);
  const found = place.newlines === lines;
  const firstLine = lastLine - (found ? lines - 1 : place.newlines);
  const start = found ? 'line' : 'cut';
  return { ...region, from: place.offset, firstLine, start, complete: region.complete && found };
}

/** The parts of a region that are read: all of it, or its two ends. */
export interface RegionParts {
  readonly front: ByteRange | null;
  readonly back: ByteRange | null;
}

/** Splits a region into its two ends if it is longer than `scanBytes` or has a gap. */
export function splitRegion(source: RawOutput, region: OutputRegion, scanBytes: number): RegionParts {
  const { from, to } = region;
  if (from >= to) return { front: null, back: null };
  const first = source.extents.find((each) => each.from <= from && from < each.to);
  const last = source.extents.find((each) => each.from < to && to <= each.to);
  if (first !== undefined && first === last && to - from <= scanBytes)
    return { front: { from, to }, back: null };
  const half = Math.floor(scanBytes / 2);
  return {
    front: first === undefined ? null : { from, to: Math.min(first.to, to, from + half) },
    back: last === undefined ? null : { from: Math.max(last.from, from, to - half), to },
  };
}
