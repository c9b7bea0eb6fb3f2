import { detach } from '../../text/detach.ts';
import type { CountedSource } from '../kept/line-places.ts';
import { renderNumbered, type Selection, type ShownLine } from './cut.ts';
import { type NoticeFacts, renderColumnNotice, renderCondensedNotice, renderCutNotice } from './notice.ts';
import type { Region } from './region.ts';
import { artifactIdOf, joinRanges, type LineRange, type Truncation, type View } from './view.ts';

/** What was cut, and what is to be said about it. */
export interface Cutting {
  readonly source: CountedSource;
  readonly region: Region;
  readonly artifact: string | null;
  readonly remarks: readonly string[];
  /** How it was made shorter before it was cut; `null`: not at all. */
  readonly condensed: Condensed | null;
}

/** What a condenser did. */
export interface Condensed {
  readonly by: string;
  /** Lines that it left out, by kind. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/** The text of a selection with its one notice, and the same for programs. */
export function renderView(selection: Selection, cutting: Cutting): View {
  const { totalBytes, totalLines } = cutting.source;
  const { head, between, tail } = selection;
  const shownBytes = shownBytesOf(selection);
  const shown = [
    ...coveredBy(head),
    ...between.map(({ number }) => ({ from: number, to: number })),
    ...coveredBy(tail),
  ];
  const omitted = { lines: totalLines - countIn(shown), bytes: totalBytes - shownBytes };
  const everything = omitted.lines === 0 && omitted.bytes === 0;
  const facts = factsOf(selection, cutting);
  return {
    text: detach(renderText(selection, facts) + renderTrailer(facts)),
    totalBytes,
    totalLines,
    shown: joinRanges(shown),
    omitted: everything ? null : omitted,
    truncation: everything ? null : toTruncation(selection, cutting),
    binary: false,
  };
}

/** Counted within what was asked for: what the call itself left out is no news to it. */
function factsOf(selection: Selection, cutting: Cutting): NoticeFacts {
  const { source, region, artifact, remarks, condensed } = cutting;
  const { head, between, tail, columns } = selection;
  const lines = linesOf([...head, ...tail]);
  const { from, to } = region.asked ?? { from: 1, to: source.totalLines };
  return {
    ranges: rangesOf(head, tail),
    numberedLines: between.length,
    totalLines: source.totalLines,
    asked: region.asked,
    hiddenLines: to - from + 1 - countIn(coveredBy(lines)) - between.length,
    hiddenBytes: region.complete ? region.to - region.from - shownBytesOf(selection) : null,
    clippedLines: lines.filter(({ leftOutBytes }) => leftOutBytes > 0).length,
    columns,
    artifact,
    remarks,
    shownLines: [head, tail].map((part) => linesOf(part).length).filter((count) => count > 0),
    condensed,
  };
}

/** Which lines of the raw output these stand for. */
function coveredBy(lines: readonly ShownLine[]): LineRange[] {
  return linesOf(lines).flatMap(({ covers: { last, lines: count } }) =>
    count === 0 ? [] : { from: last - count + 1, to: last },
  );
}

function countIn(ranges: readonly LineRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
}

/** Without the counts between them. */
function linesOf(lines: readonly ShownLine[]): readonly ShownLine[] {
  return lines.filter(({ marker }) => !marker);
}

/** Of the raw output. */
function shownBytesOf({ head, between, tail }: Selection): number {
  const whole = [...head, ...between, ...tail].reduce((sum, { rawBytes }) => sum + rawBytes, 0);
  return [...head, ...tail].reduce((sum, { leftOutBytes }) => sum - leftOutBytes, whole);
}

function rangesOf(head: readonly ShownLine[], tail: readonly ShownLine[]): LineRange[] {
  return [head, tail].map(linesOf).flatMap((lines) => {
    const [first, last] = [coveredBy(lines)[0], coveredBy(lines).at(-1)];
    return first === undefined || last === undefined ? [] : { from: first.from, to: last.to };
  });
}

function renderText(selection: Selection, facts: NoticeFacts): string {
  const { kind, head, between, tail } = selection;
  if (kind === 'whole' && (facts.hiddenLines === 0 || facts.condensed !== null)) {
    const text = facts.condensed === null ? toText(head) : closeLine(toText(head));
    return facts.clippedLines === 0 ? text : `${closeLine(text)}\n${renderColumnNotice(facts)}`;
  }
  const start = head.length === 0 ? '' : `${closeLine(toText(head))}\n`;
  const middle =
    between.length === 0 ? '' : `\n${between.map((line) => `${renderNumbered(line)}\n`).join('')}`;
  const last = facts.condensed === null ? toText(tail) : closeLine(toText(tail));
  const end = tail.length === 0 ? '' : `\n${last}`;
  return `${start}${renderCutNotice(facts)}\n${middle}${end}`;
}

function renderTrailer(facts: NoticeFacts): string {
  return facts.condensed === null ? '' : `\n${renderCondensedNotice(facts, facts.condensed)}\n`;
}

function toText(lines: readonly ShownLine[]): string {
  const text = lines.map((line) => line.text).join('\n');
  return lines.at(-1)?.ended === true ? `${text}\n` : text;
}

function closeLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function toTruncation(selection: Selection, cutting: Cutting): Truncation {
  const { source, region, artifact, condensed } = cutting;
  const { head, between, tail } = selection;
  const { totalLines, totalBytes } = source;
  const [first, second] = rangesOf(head, tail);
  const numbered = between.reduce((sum, line) => sum + Buffer.byteLength(renderNumbered(line)) + 1, 0);
  return {
    direction: directionOf(region, source),
    truncatedBy: condensed === null ? reasonOf(selection) : 'bytes',
    totalLines,
    totalBytes,
    outputLines: linesOf(head).length + between.length + linesOf(tail).length,
    outputBytes: Buffer.byteLength(toText(head)) + numbered + Buffer.byteLength(toText(tail)),
    // Of a condensed output no range is whole; `shown` has all of them.
    ...(first !== undefined && second === undefined && condensed === null ? { shownRange: first } : {}),
    ...(first !== undefined && second !== undefined && condensed === null
      ? { headRange: first, tailRange: second }
      : {}),
    ...(artifact === null ? {} : { artifactId: artifactIdOf(artifact) }),
    ...(condensed === null ? {} : { condensedBy: condensed.by }),
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
