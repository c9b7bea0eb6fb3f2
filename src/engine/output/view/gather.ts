import type { Line } from '../../text/line-reader.ts';
import type { Considered, Recall } from '../failures/failure-lines.ts';
import type { FailureLine } from '../failures/groups.ts';
import { type CountedSource, countNewlinesIn } from '../kept/line-places.ts';
import type { Extent } from '../kept/source.ts';
import type { Mask } from '../mask.ts';
import type { Entry } from './entry.ts';
import { type Passing, readLines } from './read-lines.ts';
import type { Parts, Region } from './region.ts';
import { endOnly, type MaskedLine, maskLine, startOnly } from './shown-line.ts';

/** Who takes the lines of a region, in order. */
export interface LineSink {
  add(entry: Entry): void;
  /** What comes next does not follow on what came. */
  breakOff(): void;
  /** Takes a line from a middle that nobody reads. */
  glance?(line: FailureLine, recall: Recall): Considered;
}

export interface GatherOptions {
  readonly region: Region;
  readonly parts: Parts;
  readonly mask: Mask;
  /** Characters held of each end of a line; secrets at the seam need their length on top. */
  readonly hold: number;
  /** When to stop looking for failures in the middle. */
  readonly deadline?: number;
}

/** What was not even looked at for want of time. */
export interface Gathered {
  readonly skippedBytes: number;
}

/** Reads what is to be read of a region, masks it, and hands it on line by line with true line numbers. */
export async function gatherLines(
  source: CountedSource,
  options: GatherOptions,
  sink: LineSink,
): Promise<Gathered> {
  const { region, parts, mask } = options;
  const { front, back } = parts;
  const cut = front === null ? null : await gatherFront(source, { ...options, front }, sink);
  const addCut = (): void => {
    if (cut !== null && cut.line !== null) sink.add(startOfLine(cut.number, cut.line, mask));
  };
  const skipped = cut?.skippedBytes ?? 0;
  if (back === null) {
    addCut();
    return { skippedBytes: skipped };
  }
  const newlines = await countNewlinesIn(source, back);
  const firstNumber = region.lastLine - newlines + (region.end === 'newline' ? 1 : 0);
  const join = createJoin({ cut, firstNumber, missing: back.from - (front?.to ?? region.from), mask });
  let first = true;
  const onLine = (line: Line): void => {
    const cutOff = !line.ended && region.end === 'cut';
    // A line without either end says nothing of its own.
    if (first && cutOff) addCut();
    else if (first) join(line, sink);
    else if (cutOff) sink.add(startOfLine(firstNumber + line.index, line, mask));
    else sink.add(toEntry(firstNumber, line, maskLine(line, mask)));
    first = false;
  };
  const passing = passingOf(sink, options, firstNumber);
  const hold = options.hold + mask.longest;
  return { skippedBytes: skipped + (await readLines(source, { extent: back, hold, onLine, passing })) };
}

function toEntry(firstNumber: number, { index, rawBytes, ended, drawn }: Line, line: MaskedLine): Entry {
  const entry = { number: firstNumber + index, line, rawBytes, ended };
  return drawn === undefined
    ? entry
    : { ...entry, covers: { last: firstNumber + drawn.last, lines: drawn.lines } };
}

/** A sink that cares for failures alone need not see every line of the middle. */
function passingOf(sink: LineSink, { mask, deadline }: GatherOptions, firstLine: number): Passing | null {
  const glance = sink.glance?.bind(sink);
  if (glance === undefined) return null;
  return {
    consider: glance,
    onGap: () => sink.breakOff(),
    mask,
    firstLine,
    deadline: deadline ?? Number.POSITIVE_INFINITY,
  };
}

/** Where the front part broke off: in this line, of which so much was seen. */
interface Cut {
  readonly number: number;
  readonly line: Line | null;
  /** `false`: not even the start of that line is there. */
  readonly begins: boolean;
  readonly skippedBytes: number;
}

async function gatherFront(
  source: CountedSource,
  options: GatherOptions & { readonly front: Extent },
  sink: LineSink,
): Promise<Cut> {
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
    sink.add(toEntry(firstLine, line, begins(line.index) ? maskLine(line, mask) : endOnly(line, mask)));
    next = line.index + 1;
  };
  const passing = passingOf(sink, options, firstLine);
  const hold = options.hold + mask.longest;
  const skippedBytes = await readLines(source, { extent: front, hold, onLine, passing });
  return { number: firstLine + next, line: partial, begins: begins(next), skippedBytes };
}

interface JoinOptions {
  readonly cut: Cut | null;
  /** Of the line in which the back part begins. */
  readonly firstNumber: number;
  readonly missing: number;
  readonly mask: Mask;
}

/** How the first line of the back part goes on from the front: in the middle of the same line, or after a break. */
function createJoin(options: JoinOptions): (line: Line, sink: LineSink) => void {
  const { cut, firstNumber, missing, mask } = options;
  return (line, sink) => {
    const end = endOnly(line, mask);
    if (cut !== null && cut.number === firstNumber) {
      sink.add(joinLine(cut, { ...options, line, end: end.end }));
      return;
    }
    if (cut !== null && cut.line !== null) sink.add(startOfLine(cut.number, cut.line, mask));
    if (missing > 0) sink.breakOff();
    sink.add({ number: firstNumber, line: end, rawBytes: line.rawBytes, ended: line.ended });
  };
}

/** One line of which both ends were read, and nothing between them. */
function joinLine(cut: Cut, back: JoinOptions & { readonly line: Line; readonly end: string }): Entry {
  const { line, end, missing, mask } = back;
  const start = cut.line === null ? '' : startOnly(cut.line, mask).start;
  const rawBytes = cut.begins ? (cut.line?.rawBytes ?? 0) + missing + line.rawBytes : line.rawBytes;
  const bytes = Math.max(0, rawBytes - Buffer.byteLength(start + end) - (line.ended ? 1 : 0));
  const joined: MaskedLine = { start, end, missing: { characters: null, bytes: cut.begins ? bytes : null } };
  return { number: cut.number, line: joined, rawBytes, ended: line.ended };
}

function startOfLine(number: number, line: Line, mask: Mask): Entry {
  const start: MaskedLine = startOnly(line, mask);
  return { number, line: start, rawBytes: line.rawBytes, ended: true };
}
