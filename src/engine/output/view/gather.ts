import { type Line, LineReader } from '../../text/line-reader.ts';
import { type CountedSource, countNewlinesIn } from '../kept/line-places.ts';
import type { Extent } from '../kept/source.ts';
import type { Mask } from '../mask.ts';
import type { Entry } from './collector.ts';
import type { Parts, Region } from './region.ts';
import { endOnly, type MaskedLine, maskLine, startOnly } from './shown-line.ts';

/** Who takes the lines of a region, in order. */
export interface LineSink {
  add(entry: Entry): void;
  /** What comes next does not follow on what came. */
  breakOff(): void;
}

export interface GatherOptions {
  readonly region: Region;
  readonly parts: Parts;
  readonly mask: Mask;
  /** Characters held of each end of a line; secrets at the seam need their length on top. */
  readonly hold: number;
}

/** Reads what is to be read of a region, masks it, and hands it on line by line with true line numbers. */
export async function gatherLines(
  source: CountedSource,
  options: GatherOptions,
  sink: LineSink,
): Promise<void> {
  const { region, parts, mask } = options;
  const { front, back } = parts;
  const cut = front === null ? null : await gatherFront(source, { ...options, front }, sink);
  const addCut = (): void => {
    if (cut !== null && cut.line !== null) sink.add(startOfLine(cut.number, cut.line, mask));
  };
  if (back === null) {
    addCut();
    return;
  }
  const newlines = await countNewlinesIn(source, back);
  const firstNumber = region.lastLine - newlines + (region.end === 'newline' ? 1 : 0);
  const join = createJoin({ cut, firstNumber, missing: back.from - (front?.to ?? region.from), mask });
  let number = firstNumber;
  let first = true;
  await readLines(source, { extent: back, hold: options.hold + mask.longest }, (line) => {
    const cutOff = !line.ended && region.end === 'cut';
    // A line without either end says nothing of its own.
    if (first && cutOff) addCut();
    else if (first) join(line, sink);
    else if (cutOff) sink.add(startOfLine(number, line, mask));
    else sink.add({ number, line: maskLine(line, mask), rawBytes: line.rawBytes, ended: line.ended });
    first = false;
    number += 1;
  });
}

/** Where the front part broke off: in this line, of which so much was seen. */
interface Cut {
  readonly number: number;
  readonly line: Line | null;
  /** `false`: not even the start of that line is there. */
  readonly begins: boolean;
}

async function gatherFront(
  source: CountedSource,
  { front, region, mask, hold }: GatherOptions & { readonly front: Extent },
  sink: LineSink,
): Promise<Cut> {
  let number = region.firstLine;
  let partial: Line | null = null;
  const endsRegion = front.to === region.to && region.end !== 'cut';
  const begins = (): boolean => number > region.firstLine || region.start === 'line';
  await readLines(source, { extent: front, hold: hold + mask.longest }, (line) => {
    if (!line.ended && !endsRegion) {
      partial = begins() ? line : null;
      return;
    }
    const masked = begins() ? maskLine(line, mask) : endOnly(line, mask);
    sink.add({ number, line: masked, rawBytes: line.rawBytes, ended: line.ended });
    number += 1;
  });
  return { number, line: partial, begins: begins() };
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

async function readLines(
  source: CountedSource,
  { extent, hold }: { readonly extent: Extent; readonly hold: number },
  onLine: (line: Line) => void,
): Promise<void> {
  const reader = new LineReader({ hold, onLine });
  for await (const bytes of source.read(extent)) reader.write(bytes);
  reader.end();
}
