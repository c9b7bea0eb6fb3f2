import { type Line, LineReader } from '../../text/line-reader.ts';
import { clipLine, maskLine, toLineEnd, toLineStart } from '../masked-line.ts';
import { type LineRange, toLineRanges } from '../output-view.ts';
import type { SecretMask } from '../secret-mask.ts';
import {
  type Excerpt,
  type ExcerptLimits,
  INEXACT_LINES_NOTE,
  renderGapNotes,
  renderLimitNote,
} from './byte-excerpt.ts';
import { countLines, countNewlinesIn, skipLines, skipLinesBack, toNumberedRanges } from './line-counting.ts';
import type { ByteRange, RawOutput } from './raw-output.ts';

const MAX_EXCERPT_COLUMNS = 10_000;

interface PageLine {
  readonly number: number;
  readonly text: string;
  readonly bytes: number;
}

/** Whether the start or the end of a line is lost. */
interface MissingLineEnds {
  readonly start: boolean;
  readonly end: boolean;
}

/** Collects lines up to a size limit: the first ones that fit, or the last ones. */
class ExcerptPage {
  readonly mask: SecretMask;
  readonly #maxBytes: number;
  readonly #keep: 'first' | 'last';
  readonly #lines: PageLine[] = [];
  /** Index of the first line that was not dropped in favour of later ones. */
  #start = 0;
  #bytes = 0;
  #omittedLine: number | null = null;

  constructor({ maxBytes, mask }: ExcerptLimits, keep: 'first' | 'last') {
    this.mask = mask;
    this.#maxBytes = maxBytes;
    this.#keep = keep;
  }

  get numbers(): number[] {
    return this.#shown().map(({ number }) => number);
  }

  get text(): string {
    return this.#shown()
      .map(({ text }) => text)
      .join('');
  }

  /** The first omitted line, or, with `last`, the last omitted line before the shown ones. */
  get firstOmittedLine(): number | null {
    return this.#omittedLine;
  }

  /** Whether no further line can be added. */
  get closed(): boolean {
    return this.#omittedLine !== null && this.#keep === 'first';
  }

  add(number: number, line: Line, cut: MissingLineEnds): void {
    if (this.closed) return;
    const limits = { characters: MAX_EXCERPT_COLUMNS, bytes: this.#maxBytes - 1 };
    const text =
      clipLine(maskPageLine(line, cut, this.mask), limits).text + (line.ended || cut.end ? '\n' : '');
    const bytes = Buffer.byteLength(text);
    if (this.#keep === 'first' && this.#bytes + bytes > this.#maxBytes) {
      this.#omittedLine = number;
      return;
    }
    this.#lines.push({ number, text, bytes });
    this.#bytes += bytes;
    while (this.#bytes > this.#maxBytes) this.#dropFirst();
  }

  #dropFirst(): void {
    const first = this.#lines[this.#start];
    this.#start += 1;
    this.#bytes -= first?.bytes ?? this.#bytes;
    this.#omittedLine = first?.number ?? null;
  }

  #shown(): PageLine[] {
    return this.#lines.slice(this.#start);
  }
}

function maskPageLine(
  line: Line,
  { start, end }: MissingLineEnds,
  mask: SecretMask,
): ReturnType<typeof maskLine> {
  if (start) return toLineEnd(line, mask);
  return end ? toLineStart(line, mask) : maskLine(line, mask);
}

/** Reads lines by their numbers. */
export async function readLineRange(
  source: RawOutput,
  range: LineRange,
  limits: ExcerptLimits,
): Promise<Excerpt> {
  const page = new ExcerptPage(limits, 'first');
  const notes = renderGapNotes(source);
  for (const extent of await toNumberedRanges(source)) {
    if (extent.firstLine > range.to || page.closed) break;
    const { offset, newlines } = await skipLines(source, extent, range.from - extent.firstLine);
    const number = extent.firstLine + newlines;
    if (number < range.from) continue;
    await readIntoPage(page, { source, part: { from: offset, to: extent.to }, number, last: range.to });
    if (!extent.exact) notes.push(INEXACT_LINES_NOTE);
  }
  if (page.firstOmittedLine !== null)
    notes.push(renderLimitNote(limits.maxBytes, `continue from line ${page.firstOmittedLine}`));
  else if (page.numbers.length === 0) notes.push(`Lines ${range.from} to ${range.to} are not available.`);
  return { text: page.text, lines: toLineRanges(page.numbers), notes };
}

/** Reads the last lines. */
export async function readLastLines(
  source: RawOutput,
  lines: number,
  limits: ExcerptLimits,
): Promise<Excerpt> {
  const notes = renderGapNotes(source);
  const last = source.extents.at(-1);
  if (last === undefined || lines <= 0) return { text: '', lines: [], notes };
  const counted = await countLines(source);
  const wanted = await skipLinesBack(source, last, lines);
  const part = {
    from: await findStartNearEnd(source, { from: wanted.offset, to: last.to }, limits.maxBytes),
    to: last.to,
  };
  const number = counted.newlines - (await countNewlinesIn(source, part)) + 1;
  const page = new ExcerptPage(limits, 'last');
  await readIntoPage(page, { source, part, number, last: Number.POSITIVE_INFINITY });
  if (!counted.exact) notes.push(INEXACT_LINES_NOTE);
  const leftOut = page.firstOmittedLine ?? (part.from > wanted.offset ? number - 1 : null);
  if (leftOut !== null) notes.push(renderLimitNote(limits.maxBytes, `lines up to ${leftOut} are omitted`));
  return { text: page.text, lines: toLineRanges(page.numbers), notes };
}

/**
 * The offset from which to decode, near the end if the range is much larger than the limit. A line start is
 * preferred.
 */
async function findStartNearEnd(
  source: RawOutput,
  { from, to }: ByteRange,
  maxBytes: number,
): Promise<number> {
  const near = to - 8 * maxBytes;
  if (near <= from) return from;
  const { offset } = await skipLines(source, { from: near, to }, 1);
  return offset < to ? offset : near;
}

interface PageReading {
  readonly source: RawOutput;
  readonly part: ByteRange;
  /** Number of the line in which the part begins. */
  readonly number: number;
  readonly last: number;
}

async function readIntoPage(page: ExcerptPage, { source, part, number, last }: PageReading): Promise<void> {
  let next = number;
  const cutStart = part.from > 0 && source.extents.some(({ from }) => from === part.from);
  const reader = new LineReader({
    edgeCharacters: MAX_EXCERPT_COLUMNS + page.mask.maxSecretLength,
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
