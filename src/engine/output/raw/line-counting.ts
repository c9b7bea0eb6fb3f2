import { countNewlines, NEWLINE } from '../../text/utf8.ts';
import type { ByteRange, RawOutput } from './raw-output.ts';
import { readRangeBytes } from './raw-output.ts';

/** An offset found by counting newlines. */
interface LineOffset {
  readonly offset: number;
  /** Number of newlines passed; fewer than requested if the range ended. */
  readonly newlines: number;
}

/** A raw output with its line totals. */
export interface CountedOutput extends RawOutput {
  readonly newlines: number;
  /** A last line without a newline counts. */
  readonly totalLines: number;
  /** `false`: part of the output is gone and its lines were not counted. */
  readonly exact: boolean;
}

/** A byte range with the number of its first line. */
interface NumberedRange extends ByteRange {
  readonly firstLine: number;
  /** `false`: a part before it is gone and its lines were not counted. */
  readonly exact: boolean;
}

const SEARCH_STEP_BYTES = 256 * 1024;

/** Counts the newlines in a byte range. */
export async function countNewlinesIn(source: RawOutput, extent: ByteRange): Promise<number> {
  let count = 0;
  for await (const bytes of source.read(extent)) count += countNewlines(bytes);
  return count;
}

/** The offset after a number of newlines from the start of a range. */
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

/** The offset at which the last lines of a range begin. A last line without a newline is a line. */
export async function skipLinesBack(
  source: RawOutput,
  extent: ByteRange,
  lines: number,
): Promise<LineOffset> {
  let passed = 0;
  if (lines <= 0) return { offset: extent.to, newlines: 0 };
  // The newline at the very end does not begin a line.
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

/** Counts the lines, unless they are known. A missing part counts as one line break. */
export async function countLines(source: RawOutput): Promise<CountedOutput> {
  const open = source.unterminated ?? (await isUnterminated(source));
  const exact = source.newlines !== null || findGaps(source).length === 0;
  const newlines = source.newlines ?? (await countStoredNewlines(source)) + findGaps(source).length;
  return { ...source, read: source.read, newlines, totalLines: newlines + (open ? 1 : 0), exact };
}

/** The byte ranges of a stream that are not stored. */
export function findGaps({ extents, totalBytes }: RawOutput): ByteRange[] {
  const edges = [0, ...extents.flatMap(({ from, to }) => [from, to]), totalBytes];
  const gaps: ByteRange[] = [];
  for (let index = 0; index + 1 < edges.length; index += 2) {
    const [from = 0, to = 0] = edges.slice(index, index + 2);
    if (from < to) gaps.push({ from, to });
  }
  return gaps;
}

/** Finds the first line number of each stored range. Nothing is counted if no range is missing. */
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
