import { detach } from '../../text/detach.ts';
import type { CountedSource } from '../kept/line-places.ts';
import { renderNumbered, type Selection, type ShownLine } from './cut.ts';
import { type NoticeFacts, renderColumnNotice, renderCutNotice } from './notice.ts';
import type { Region } from './region.ts';
import { artifactIdOf, type LineRange, type Truncation, toRanges, type View } from './view.ts';

/** What was cut, and what is to be said about it. */
export interface Cutting {
  readonly source: CountedSource;
  readonly region: Region;
  readonly artifact: string | null;
  readonly remarks: readonly string[];
}

/** The text of a selection with its one notice, and the same for programs. */
export function renderView(selection: Selection, cutting: Cutting): View {
  const { totalBytes, totalLines } = cutting.source;
  const { head, between, tail } = selection;
  const shownBytes = shownBytesOf(selection);
  const numbers = [...head, ...between, ...tail].map(({ number }) => number);
  const omitted = { lines: totalLines - numbers.length, bytes: totalBytes - shownBytes };
  const everything = omitted.lines === 0 && omitted.bytes === 0;
  const facts = factsOf(selection, cutting);
  return {
    text: detach(renderText(selection, facts)),
    totalBytes,
    totalLines,
    shown: toRanges(numbers),
    omitted: everything ? null : omitted,
    truncation: everything ? null : toTruncation(selection, cutting),
    binary: false,
  };
}

/** Counted within what was asked for: what the call itself left out is no news to it. */
function factsOf(selection: Selection, { source, region, artifact, remarks }: Cutting): NoticeFacts {
  const { head, between, tail, columns } = selection;
  const lines = [...head, ...tail];
  const { from, to } = region.asked ?? { from: 1, to: source.totalLines };
  return {
    ranges: rangesOf(head, tail),
    numberedLines: between.length,
    totalLines: source.totalLines,
    asked: region.asked,
    hiddenLines: to - from + 1 - lines.length - between.length,
    hiddenBytes: region.complete ? region.to - region.from - shownBytesOf(selection) : null,
    clippedLines: lines.filter(({ leftOutBytes }) => leftOutBytes > 0).length,
    columns,
    artifact,
    remarks,
  };
}

/** Of the raw output. */
function shownBytesOf({ head, between, tail }: Selection): number {
  const whole = [...head, ...between, ...tail].reduce((sum, { rawBytes }) => sum + rawBytes, 0);
  return [...head, ...tail].reduce((sum, { leftOutBytes }) => sum - leftOutBytes, whole);
}

function rangesOf(head: readonly ShownLine[], tail: readonly ShownLine[]): LineRange[] {
  return [head, tail].flatMap((lines) => {
    const [first, last] = [lines[0], lines.at(-1)];
    return first === undefined || last === undefined ? [] : { from: first.number, to: last.number };
  });
}

function renderText(selection: Selection, facts: NoticeFacts): string {
  const { kind, head, between, tail } = selection;
  if (kind === 'whole' && facts.hiddenLines === 0) {
    const text = toText(head);
    return facts.clippedLines === 0 ? text : `${closeLine(text)}\n${renderColumnNotice(facts)}`;
  }
  const start = head.length === 0 ? '' : `${closeLine(toText(head))}\n`;
  const middle =
    between.length === 0 ? '' : `\n${between.map((line) => `${renderNumbered(line)}\n`).join('')}`;
  const end = tail.length === 0 ? '' : `\n${toText(tail)}`;
  return `${start}${renderCutNotice(facts)}\n${middle}${end}`;
}

function toText(lines: readonly ShownLine[]): string {
  const text = lines.map((line) => line.text).join('\n');
  return lines.at(-1)?.ended === true ? `${text}\n` : text;
}

function closeLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function toTruncation(selection: Selection, { source, region, artifact }: Cutting): Truncation {
  const { head, between, tail } = selection;
  const { totalLines, totalBytes } = source;
  const [first, second] = rangesOf(head, tail);
  const numbered = between.reduce((sum, line) => sum + Buffer.byteLength(renderNumbered(line)) + 1, 0);
  return {
    direction: directionOf(region, source),
    truncatedBy: reasonOf(selection),
    totalLines,
    totalBytes,
    outputLines: head.length + between.length + tail.length,
    outputBytes: Buffer.byteLength(toText(head)) + numbered + Buffer.byteLength(toText(tail)),
    ...(first !== undefined && second === undefined ? { shownRange: first } : {}),
    ...(first !== undefined && second !== undefined ? { headRange: first, tailRange: second } : {}),
    ...(artifact === null ? {} : { artifactId: artifactIdOf(artifact) }),
  };
}

function reasonOf({ kind, head }: Selection): Truncation['truncatedBy'] {
  if (kind === 'cut') return 'bytes';
  return head.some(({ leftOutBytes }) => leftOutBytes > 0) ? 'columns' : 'lines';
}

/** Where a call asked for some lines, the part it asked for; else both ends are shown. */
function directionOf(region: Region, source: CountedSource): Truncation['direction'] {
  if (region.to < source.totalBytes) return region.from > 0 ? 'middle' : 'head';
  return region.from > 0 ? 'tail' : 'middle';
}
