import { countNewlines } from '../../text/utf8.ts';
import type { ByteRange, RawOutput } from './raw-output.ts';
import { readRangeBytes } from './raw-output.ts';

/** Where a search for line ends stopped. */
export interface LineOffset {
  readonly offset: number;
  /** How many newlines were passed; fewer than asked for when the extent ended. */
  readonly newlines: number;
}

/** A source of which all is known that line numbers need. */
export interface CountedOutput extends RawOutput {
  readonly newlines: number;
  /** A last line without a newline counts. */
  readonly totalLines: number;
  /** `false`: part of the output is gone, and nobody counted its lines. */
  readonly exact: boolean;
}

/** An extent whose first byte lies in a known line. */
export interface NumberedRange extends ByteRange {
  readonly firstLine: number;
  /** `false`: something before it is gone, and nobody knows how many lines that were. */
  readonly exact: boolean;
}

const NEWLINE = 10;
const SEARCH_STEP_BYTES = 256 * 1024;

export async function countNewlinesIn(source: RawOutput, extent: ByteRange): Promise<number> {
  let count = 0;
  for await (const bytes of source.read(extent)) count += countNewlines(bytes);
  return count;
}

/** The offset after so many newlines, counted from the start of an extent. */
export async function skipLines(source: RawOutput, extent: ByteRange, lines: number): Promise<LineOffset> {
  let passed = 0;
  let offset = extent.from;
  if (lines <= 0) return { offset, newlines: 0 };
  for await (const bytes of source.read(extent)) {
    const count = countNewlines(bytes);
    if (passed + count >= lines) {
      return { offset: offset + indexAfter(bytes, lines - passed), newlines: lines };
    }
    passed += count;
    offset += bytes.length;
  }
  return { offset, newlines: passed };
}

/** The offset at which the last so many lines of an extent begin. A last line without a newline is a line. */
export async function skipLinesBack(
  source: RawOutput,
  extent: ByteRange,
  lines: number,
): Promise<LineOffset> {
  let passed = 0;
  if (lines <= 0) return { offset: extent.to, newlines: 0 };
  // The newline at the very end ends the last line and begins none.
  for (let to = extent.to - 1; to > extent.from; to -= SEARCH_STEP_BYTES) {
    const from = Math.max(extent.from, to - SEARCH_STEP_BYTES);
    const bytes = await readRangeBytes(source, { from, to });
    for (
      let at = bytes.lastIndexOf(NEWLINE);
      at !== -1;
      at = at === 0 ? -1 : bytes.lastIndexOf(NEWLINE, at - 1)
    ) {
      passed += 1;
      if (passed === lines) return { offset: from + at + 1, newlines: passed };
    }
  }
  return { offset: extent.from, newlines: passed };
}

/** Counts the lines, if nobody has. What is missing counts as one line break: nobody knows better. */
export async function countLines(source: RawOutput): Promise<CountedOutput> {
  const open = source.unterminated ?? (await isUnterminated(source));
  const exact = source.newlines !== null || findGaps(source).length === 0;
  const newlines = source.newlines ?? (await countStoredNewlines(source)) + findGaps(source).length;
  return { ...source, read: source.read, newlines, totalLines: newlines + (open ? 1 : 0), exact };
}

/** What of a stream is not there. */
export function findGaps({ extents, totalBytes }: RawOutput): ByteRange[] {
  const edges = [0, ...extents.flatMap(({ from, to }) => [from, to]), totalBytes];
  const gaps: ByteRange[] = [];
  for (let index = 0; index + 1 < edges.length; index += 2) {
    const [from = 0, to = 0] = edges.slice(index, index + 2);
    if (from < to) gaps.push({ from, to });
  }
  return gaps;
}

/** Which line each extent begins in; nothing is counted while nothing is missing. */
export async function toNumberedRanges(source: RawOutput): Promise<NumberedRange[]> {
  if (findGaps(source).length === 0)
    return source.extents.map((extent) => ({ ...extent, firstLine: 1, exact: true }));
  return numberRanges(await countLines(source));
}

async function numberRanges(source: CountedOutput): Promise<NumberedRange[]> {
  const numbered: NumberedRange[] = [];
  let firstLine = 1;
  for (const extent of source.extents) {
    const whole = extent.from === 0 && extent.to === source.totalBytes;
    const newlines = whole ? source.newlines : await countNewlinesIn(source, extent);
    if (extent.from > 0 && extent.to === source.totalBytes) {
      numbered.push({ ...extent, firstLine: source.newlines - newlines + 1, exact: source.exact });
    } else {
      numbered.push({ ...extent, firstLine, exact: extent.from === 0 });
    }
    firstLine += newlines + 1;
  }
  return numbered;
}

async function isUnterminated(source: RawOutput): Promise<boolean> {
  const last = source.extents.at(-1);
  if (last === undefined || last.to < source.totalBytes) return false;
  const bytes = await readRangeBytes(source, { from: last.to - 1, to: last.to });
  return bytes[0] !== NEWLINE;
}

async function countStoredNewlines(source: RawOutput): Promise<number> {
  let count = 0;
  for (const extent of source.extents) count += await countNewlinesIn(source, extent);
  return count;
}

function indexAfter(bytes: Buffer, newlines: number): number {
  let at = -1;
  for (let passed = 0; passed < newlines; passed += 1) at = bytes.indexOf(NEWLINE, at + 1);
  return at + 1;
}
