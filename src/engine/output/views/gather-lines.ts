import { type Line, LineReader } from '../../text/line-reader.ts';
import { NEWLINE } from '../../text/utf8.ts';
import type { LineAssessment, ReadLinesBefore } from '../failures/failure-collector.ts';
import type { FailureLine } from '../failures/failure-groups.ts';
import { FailureScanner, type FailureScannerOptions } from '../failures/failure-scanner.ts';
import { type MaskedLine, maskLine, type NumberedLine, toLineEnd, toLineStart } from '../masked-line.ts';
import { type CountedOutput, countNewlinesIn } from '../raw/line-counting.ts';
import type { ByteRange } from '../raw/raw-output.ts';
import type { SecretMask } from '../secret-mask.ts';
import type { OutputRegion, RegionParts } from './output-region.ts';

interface ReadLinesOptions {
  readonly extent: ByteRange;
  /** Characters held of each end of a line. */
  readonly edgeCharacters: number;
  readonly onLine: (line: Line) => void;
  /** How to skip the middle of a long output; `null`: every line is read. */
  readonly skipping: SkipOptions | null;
}

interface SkipOptions extends FailureScannerOptions {
  /** Called when lines are skipped. */
  readonly onGap: () => void;
}

/** A smaller output is read line by line. */
const MIN_SKIPPED_OUTPUT_BYTES = 4 * 1024 * 1024;
/** Bytes at both ends that are read line by line; much more than is ever shown. */
const EDGE_BYTES = 512 * 1024;
/** With longer lines, skipping saves nothing. */
const MAX_SKIPPED_LINE_BYTES = 256 * 1024;

/** Reads a range line by line and skips the middle of a long one. Returns the bytes that were not scanned. */
async function readRangeLines(source: CountedOutput, options: ReadLinesOptions): Promise<number> {
  const { extent, edgeCharacters, onLine, skipping } = options;
  const reader = new LineReader({ edgeCharacters, onLine, redraws: true });
  const isLong = skipping !== null && extent.to - extent.from >= MIN_SKIPPED_OUTPUT_BYTES;
  const writer = isLong ? new MiddleSkipper(reader, { extent, skipping }) : reader;
  for await (const bytes of source.read(extent)) writer.write(bytes);
  reader.end();
  return writer instanceof MiddleSkipper ? writer.skippedBytes : 0;
}

/** Reads both ends of a range and scans the middle for failures. */
class MiddleSkipper {
  readonly #reader: LineReader;
  readonly #scanner: FailureScanner;
  readonly #options: SkipOptions;
  #state: 'front' | 'middle' | 'back' = 'front';
  /** Bytes before the middle begins or, in the middle, before it ends. */
  #bytesLeft: number;
  readonly #middleBytes: number;

  constructor(reader: LineReader, { extent, skipping }: { extent: ByteRange; skipping: SkipOptions }) {
    this.#reader = reader;
    this.#options = skipping;
    this.#scanner = new FailureScanner(skipping);
    this.#bytesLeft = EDGE_BYTES;
    this.#middleBytes = extent.to - extent.from - 2 * EDGE_BYTES;
  }

  get skippedBytes(): number {
    return this.#scanner.skippedBytes;
  }

  write(bytes: Buffer): void {
    if (this.#state === 'back') this.#reader.write(bytes);
    else if (this.#state === 'middle') this.#writeMiddle(bytes);
    else this.#writeFront(bytes);
  }

  /** The middle begins at the start of a line. */
  #writeFront(bytes: Buffer): void {
    const newline =
      this.#bytesLeft > bytes.length ? -1 : bytes.indexOf(NEWLINE, Math.max(0, this.#bytesLeft));
    this.#bytesLeft -= bytes.length;
    if (newline === -1) {
      this.#reader.write(bytes);
      return;
    }
    this.#reader.write(bytes.subarray(0, newline + 1));
    this.#state = 'middle';
    this.#bytesLeft += this.#middleBytes + bytes.length - newline - 1;
    this.#reader.flushRows();
    this.#scanner.startAtLine(this.#options.firstLine + this.#reader.index);
    this.#options.onGap();
    this.#writeMiddle(bytes.subarray(newline + 1));
  }

  #writeMiddle(bytes: Buffer): void {
    const end = Math.max(0, Math.min(this.#bytesLeft, bytes.length));
    this.#scanner.write(bytes.subarray(0, end));
    this.#bytesLeft -= bytes.length;
    if (this.#bytesLeft > 0 && this.#scanner.unreadBytes().length < MAX_SKIPPED_LINE_BYTES) return;
    this.#state = 'back';
    this.#reader.skipTo(this.#scanner.line - this.#options.firstLine);
    this.#reader.write(Buffer.from(this.#scanner.unreadBytes()));
    this.#reader.write(bytes.subarray(end));
  }
}

/** Receives the lines of a region in order. */
export interface LineSink {
  add(entry: NumberedLine): void;
  /** The next line is not adjacent to the last one. */
  markGap(): void;
  /** Examines a line from the skipped middle. */
  assessSkipped?(line: FailureLine, readBefore: ReadLinesBefore): LineAssessment;
}

interface GatherOptions {
  readonly region: OutputRegion;
  readonly parts: RegionParts;
  readonly mask: SecretMask;
  /** Characters held of each end of a line, without the margin for secrets. */
  readonly edgeCharacters: number;
  /** The time of `cpuTimeMs()` at which the search for failures stops. */
  readonly deadline?: number;
}

/**
 * Reads the parts of a region, masks them, and passes on each line with its true number. Returns the number of
 * bytes that were not scanned because the time was over.
 */
export async function gatherLines(
  source: CountedOutput,
  options: GatherOptions,
  sink: LineSink,
): Promise<number> {
  const { region, parts, mask } = options;
  const { front, back } = parts;
  const cut = front === null ? null : await gatherFront(source, { ...options, front }, sink);
  const addCut = (): void => {
    if (cut !== null && cut.line !== null) sink.add(toStartLine(cut.number, cut.line, mask));
  };
  const skipped = cut?.skippedBytes ?? 0;
  if (back === null) {
    addCut();
    return skipped;
  }
  const newlines = await countNewlinesIn(source, back);
  const firstNumber = region.lastLine - newlines + (region.end === 'newline' ? 1 : 0);
  const join = createLineJoiner({ cut, firstNumber, missing: back.from - (front?.to ?? region.from), mask });
  let first = true;
  const onLine = (line: Line): void => {
    const cutOff = !line.ended && region.end === 'cut';
    // A line without either end is not shown.
    if (first && cutOff) addCut();
    else if (first) join(line, sink);
    else if (cutOff) sink.add(toStartLine(firstNumber + line.index, line, mask));
    else sink.add(toNumberedLine(firstNumber, line, maskLine(line, mask)));
    first = false;
  };
  const skipping = toSkipOptions(sink, options, firstNumber);
  const edgeCharacters = options.edgeCharacters + mask.maxSecretLength;
  return skipped + (await readRangeLines(source, { extent: back, edgeCharacters, onLine, skipping }));
}

function toNumberedLine(
  firstNumber: number,
  { index, rawBytes, ended, redrawn }: Line,
  line: MaskedLine,
): NumberedLine {
  const entry = { number: firstNumber + index, line, rawBytes, ended };
  return redrawn === undefined
    ? entry
    : { ...entry, covers: { last: firstNumber + redrawn.last, lines: redrawn.lines } };
}

/** A sink with `assessSkipped` does not need every line of the middle. */
function toSkipOptions(
  sink: LineSink,
  { mask, deadline }: GatherOptions,
  firstLine: number,
): SkipOptions | null {
  const assess = sink.assessSkipped?.bind(sink);
  if (assess === undefined) return null;
  return {
    assess,
    onGap: () => sink.markGap(),
    mask,
    firstLine,
    deadline: deadline ?? Number.POSITIVE_INFINITY,
  };
}

/** The line in which the front part ends. */
interface FrontCut {
  readonly number: number;
  readonly line: Line | null;
  /** `false`: the start of the line is lost. */
  readonly hasStart: boolean;
  readonly skippedBytes: number;
}

async function gatherFront(
  source: CountedOutput,
  options: GatherOptions & { readonly front: ByteRange },
  sink: LineSink,
): Promise<FrontCut> {
  const { front, region, mask } = options;
  const { firstLine } = region;
  let next = 0;
  let partial: Line | null = null;
  const endsRegion = front.to === region.to && region.end !== 'cut';
  const begins = (index: number): boolean => index > 0 || region.start === 'line';
  const onLine = (line: Line): void => {
    if (!line.ended && !endsRegion) {
      next = line.index;
      partial = begins(line.index) ? line : null;
      return;
    }
    sink.add(
      toNumberedLine(firstLine, line, begins(line.index) ? maskLine(line, mask) : toLineEnd(line, mask)),
    );
    next = line.index + 1;
  };
  const skipping = toSkipOptions(sink, options, firstLine);
  const edgeCharacters = options.edgeCharacters + mask.maxSecretLength;
  const skippedBytes = await readRangeLines(source, {
    extent: front,
    edgeCharacters,
    onLine,
    skipping,
  });
  return { number: firstLine + next, line: partial, hasStart: begins(next), skippedBytes };
}

interface JoinOptions {
  readonly cut: FrontCut | null;
  /** Number of the line in which the back part begins. */
  readonly firstNumber: number;
  readonly missing: number;
  readonly mask: SecretMask;
}

/**
 * Adds the first line of the back part: as the end of the line in which the front part ends, or after a gap.
 */
function createLineJoiner(options: JoinOptions): (line: Line, sink: LineSink) => void {
  const { cut, firstNumber, missing, mask } = options;
  return (line, sink) => {
    const end = toLineEnd(line, mask);
    if (cut !== null && cut.number === firstNumber) {
      sink.add(joinLineEnds(cut, { ...options, line, end: end.end }));
      return;
    }
    if (cut !== null && cut.line !== null) sink.add(toStartLine(cut.number, cut.line, mask));
    if (missing > 0) sink.markGap();
    sink.add({ number: firstNumber, line: end, rawBytes: line.rawBytes, ended: line.ended });
  };
}

/** Joins the two known ends of one line. */
function joinLineEnds(
  cut: FrontCut,
  back: JoinOptions & { readonly line: Line; readonly end: string },
): NumberedLine {
  const { line, end, missing, mask } = back;
  const start = cut.line === null ? '' : toLineStart(cut.line, mask).start;
  const rawBytes = cut.hasStart ? (cut.line?.rawBytes ?? 0) + missing + line.rawBytes : line.rawBytes;
  const bytes = Math.max(0, rawBytes - Buffer.byteLength(start + end) - (line.ended ? 1 : 0));
  const joined: MaskedLine = {
    start,
    end,
    missing: { characters: null, bytes: cut.hasStart ? bytes : null },
  };
  return { number: cut.number, line: joined, rawBytes, ended: line.ended };
}

function toStartLine(number: number, line: Line, mask: SecretMask): NumberedLine {
  const start: MaskedLine = toLineStart(line, mask);
  return { number, line: start, rawBytes: line.rawBytes, ended: true };
}
