import { countNewlines } from '../../text/newlines.ts';
import type { Extent, RawSource } from './source.ts';

/** Where a search for line ends stopped. */
export interface LinePlace {
  readonly offset: number;
  /** How many newlines were passed; fewer than asked for when the extent ended. */
  readonly newlines: number;
}

/** An extent whose first byte lies in a known line. */
export interface NumberedExtent extends Extent {
  readonly firstLine: number;
  /** `false`: something before it is gone, and nobody knows how many lines that were. */
  readonly exact: boolean;
}

const NEWLINE = 10;
const STEP_BYTES = 256 * 1024;

export async function countNewlinesIn(source: RawSource, extent: Extent): Promise<number> {
  let count = 0;
  for await (const bytes of source.read(extent)) count += countNewlines(bytes);
  return count;
}

/** The offset after so many newlines, counted from the start of an extent. */
export async function skipLines(source: RawSource, extent: Extent, lines: number): Promise<LinePlace> {
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
export async function skipLinesBack(source: RawSource, extent: Extent, lines: number): Promise<LinePlace> {
  let passed = 0;
  if (lines <= 0) return { offset: extent.to, newlines: 0 };
  // The newline at the very end ends the last line and begins none.
  for (let to = extent.to - 1; to > extent.from; to -= STEP_BYTES) {
    const from = Math.max(extent.from, to - STEP_BYTES);
    const bytes = await collect(source, { from, to });
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

/** Which line each extent begins in. Costs nothing while nothing is missing. */
export async function numberExtents(source: RawSource): Promise<NumberedExtent[]> {
  const { extents, newlines } = source;
  const numbered: NumberedExtent[] = [];
  let firstLine = 1;
  for (const [index, extent] of extents.entries()) {
    const last = index > 0 && index === extents.length - 1 && extent.to === source.totalBytes;
    if (last && newlines !== null) {
      numbered.push({
        ...extent,
        firstLine: newlines - (await countNewlinesIn(source, extent)) + 1,
        exact: true,
      });
    } else {
      numbered.push({ ...extent, firstLine, exact: extent.from === 0 });
      // A gap counts as one line break: nobody knows better.
      if (index < extents.length - 1) firstLine += (await countNewlinesIn(source, extent)) + 1;
    }
  }
  return numbered;
}

function indexAfter(bytes: Buffer, newlines: number): number {
  let at = -1;
  for (let passed = 0; passed < newlines; passed += 1) at = bytes.indexOf(NEWLINE, at + 1);
  return at + 1;
}

async function collect(source: RawSource, extent: Extent): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const bytes of source.read(extent)) parts.push(Buffer.from(bytes));
  return Buffer.concat(parts);
}
