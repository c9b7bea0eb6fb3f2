import { toGroupedNumber, toHumanSize } from '../../text/format-size.ts';
import { copyString } from '../../text/utf8.ts';
import { describeBinary } from '../binary-detection.ts';
import { renderOmittedKinds } from '../condensers/line-condenser.ts';
import {
  type LineRange,
  mergeLineRanges,
  type OutputView,
  type Truncation,
  toArtifactId,
} from '../output-view.ts';
import type { CountedOutput } from '../raw/line-counting.ts';
import { type LineSelection, renderNumberedLine, type ShownLine } from './line-selection.ts';
import type { OutputRegion } from './output-region.ts';

type CondensedFacts = NonNullable<NoticeFacts['condensed']>;

/** In the sum of all places; each place names all of its own. */
const MAX_KINDS = 4;

/** What a notice has to tell. */
export interface NoticeFacts {
  /** What is shown in one piece: the head, the tail, or both. */
  readonly ranges: readonly LineRange[];
  /** Lines from between them, shown with their numbers. */
  readonly numberedLines: number;
  /** What it is a part of: all lines, or those that the call asked for. */
  readonly totalLines: number;
  readonly asked: LineRange | null;
  readonly hiddenLines: number;
  /** `null` when nobody knows. */
  readonly hiddenBytes: number | null;
  /** Lines of which the middle is not shown, and how wide they may be. */
  readonly clippedLines: number;
  readonly columns: number;
  readonly artifact: string | null;
  /** Further sentences. */
  readonly remarks: readonly string[];
  /** How many lines each of the ranges really has, where lines were left out of them. */
  readonly shownLines: readonly number[];
  readonly condensed: { readonly by: string; readonly omittedByKind: ReadonlyMap<string, number> } | null;
}

/** The one notice of a cut. */
export function renderTruncationNotice(facts: NoticeFacts): string {
  const { numberedLines, hiddenLines, hiddenBytes, clippedLines, columns, remarks, artifact } = facts;
  const numbered =
    numberedLines === 0 ? '' : `, and ${renderCount(numberedLines, 'numbered line')} between them`;
  const bytes = hiddenBytes === null ? '' : `, ${renderCount(hiddenBytes, 'byte')}`;
  const hidden = `Not shown: ${renderCount(hiddenLines, 'line')}${bytes}.`;
  const clipped =
    clippedLines === 0 ? [] : [`${renderCount(clippedLines, 'line')} cut to at most ${columns} characters.`];
  const sentences = [
    `${renderRanges(facts)}${numbered}.`,
    hidden,
    ...clipped,
    ...remarks,
    ...(facts.condensed === null ? [renderArtifact(artifact)] : []),
  ];
  return `[${sentences.join(' ')}]`;
}

/** Below an output that was made shorter: what was left out, and where all of it is. */
export function renderCondensedNotice(facts: NoticeFacts, { by, omittedByKind }: CondensedFacts): string {
  const { numberedLines, totalLines, hiddenBytes, artifact } = facts;
  const shown = facts.shownLines.reduce((sum, lines) => sum + lines, numberedLines);
  const bytes = hiddenBytes === null ? '' : `; ${renderCount(hiddenBytes, 'byte')}`;
  const kinds = renderOmittedKinds(
    new Map([...omittedByKind].sort(([, a], [, b]) => b - a).slice(0, MAX_KINDS)),
  );
  return `[Condensed (${by}): ${toGroupedNumber(shown)} of ${renderCount(totalLines, 'line')} shown. Left out: ${kinds}${bytes}.]\n[raw output: ${artifact}]`;
}

/** The notice where every line is shown, but some are cut. */
export function renderWidthNotice(facts: NoticeFacts): string {
  const { clippedLines, columns, hiddenBytes, remarks, artifact } = facts;
  const lines = `${renderCount(clippedLines, 'long line')} cut to at most ${columns} characters, ${renderCount(hiddenBytes ?? 0, 'byte')} not shown.`;
  return `[${[lines, ...remarks, renderArtifact(artifact)].join(' ')}]`;
}

/** Said when failures were not looked for everywhere. */
export function renderScanNote(scannedBytes: number, totalBytes: number): string {
  return `Failures were looked for in ${toHumanSize(scannedBytes)} of ${toHumanSize(totalBytes)}.`;
}

function renderRanges({ ranges, totalLines, asked, condensed, shownLines }: NoticeFacts): string {
  const whole = asked === null ? `${totalLines}` : `the lines ${renderRange(asked)} asked for`;
  if (ranges.length === 0) return `Showing no line of ${whole}`;
  const word = ranges.length === 1 && ranges[0]?.from === ranges[0]?.to ? 'line' : 'lines';
  if (condensed === null) return `Showing ${word} ${ranges.map(renderRange).join(' and ')} of ${whole}`;
  const parts = ranges.map((range, index) => `${shownLines[index] ?? 0} of the lines ${renderRange(range)}`);
  return `Showing ${parts.join(' and ')} of ${whole}`;
}

function renderRange({ from, to }: LineRange): string {
  return from === to ? `${from}` : `${from}-${to}`;
}

function renderArtifact(artifact: string | null): string {
  return artifact === null ? 'The full output was not kept.' : `Full output: ${artifact}`;
}

function renderCount(amount: number, word: string): string {
  return `${toGroupedNumber(amount)} ${word}${amount === 1 ? '' : 's'}`;
}

/** What was cut, and what is to be said about it. */
export interface TruncationInput {
  readonly source: CountedOutput;
  readonly region: OutputRegion;
  readonly artifact: string | null;
  readonly remarks: readonly string[];
  /** How it was made shorter before it was cut; `null`: not at all. */
  readonly condensed: CondensingResult | null;
}

/** What a condenser did. */
export interface CondensingResult {
  readonly by: string;
  /** Lines that it left out, by kind. */
  readonly omittedByKind: ReadonlyMap<string, number>;
}

/** The text of a selection with its one notice, and the same for programs. */
export function renderView(selection: LineSelection, cutting: TruncationInput): OutputView {
  const { totalBytes, totalLines } = cutting.source;
  const { head, between, tail } = selection;
  const shownBytes = countShownRawBytes(selection);
  const shown = [
    ...findCoveredRanges(head),
    ...between.map(({ number }) => ({ from: number, to: number })),
    ...findCoveredRanges(tail),
  ];
  const omitted = { lines: totalLines - countRangeLines(shown), bytes: totalBytes - shownBytes };
  const everything = omitted.lines === 0 && omitted.bytes === 0;
  const facts = toNoticeFacts(selection, cutting);
  return {
    text: copyString(renderText(selection, facts) + renderTrailer(facts)),
    totalBytes,
    totalLines,
    shown: mergeLineRanges(shown),
    omitted: everything ? null : omitted,
    truncation: everything ? null : toTruncation(selection, cutting),
    binary: false,
  };
}

/** Counted within what was asked for: what the call itself left out is no news to it. */
function toNoticeFacts(selection: LineSelection, cutting: TruncationInput): NoticeFacts {
  const { source, region, artifact, remarks, condensed } = cutting;
  const { head, between, tail, columns } = selection;
  const lines = withoutMarkers([...head, ...tail]);
  const { from, to } = region.asked ?? { from: 1, to: source.totalLines };
  return {
    ranges: toShownRanges(head, tail),
    numberedLines: between.length,
    totalLines: source.totalLines,
    asked: region.asked,
    hiddenLines: to - from + 1 - countRangeLines(findCoveredRanges(lines)) - between.length,
    hiddenBytes: region.complete ? region.to - region.from - countShownRawBytes(selection) : null,
    clippedLines: lines.filter(({ omittedBytes }) => omittedBytes > 0).length,
    columns,
    artifact,
    remarks,
    shownLines: [head, tail].map((part) => withoutMarkers(part).length).filter((count) => count > 0),
    condensed,
  };
}

/** Which lines of the raw output these stand for. */
function findCoveredRanges(lines: readonly ShownLine[]): LineRange[] {
  return withoutMarkers(lines).flatMap(({ covers: { last, lines: count } }) =>
    count === 0 ? [] : { from: last - count + 1, to: last },
  );
}

function countRangeLines(ranges: readonly LineRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
}

/** Without the counts between them. */
function withoutMarkers(lines: readonly ShownLine[]): readonly ShownLine[] {
  return lines.filter(({ marker }) => !marker);
}

/** Of the raw output. */
function countShownRawBytes({ head, between, tail }: LineSelection): number {
  const whole = [...head, ...between, ...tail].reduce((sum, { rawBytes }) => sum + rawBytes, 0);
  return [...head, ...tail].reduce((sum, { omittedBytes }) => sum - omittedBytes, whole);
}

function toShownRanges(head: readonly ShownLine[], tail: readonly ShownLine[]): LineRange[] {
  return [head, tail].map(withoutMarkers).flatMap((lines) => {
    const [first, last] = [findCoveredRanges(lines)[0], findCoveredRanges(lines).at(-1)];
    return first === undefined || last === undefined ? [] : { from: first.from, to: last.to };
  });
}

function renderText(selection: LineSelection, facts: NoticeFacts): string {
  const { kind, head, between, tail } = selection;
  if (kind === 'whole' && (facts.hiddenLines === 0 || facts.condensed !== null)) {
    const text = facts.condensed === null ? joinShownLines(head) : closeLine(joinShownLines(head));
    return facts.clippedLines === 0 ? text : `${closeLine(text)}\n${renderWidthNotice(facts)}`;
  }
  const start = head.length === 0 ? '' : `${closeLine(joinShownLines(head))}\n`;
  const middle =
    between.length === 0 ? '' : `\n${between.map((line) => `${renderNumberedLine(line)}\n`).join('')}`;
  const last = facts.condensed === null ? joinShownLines(tail) : closeLine(joinShownLines(tail));
  const end = tail.length === 0 ? '' : `\n${last}`;
  return `${start}${renderTruncationNotice(facts)}\n${middle}${end}`;
}

function renderTrailer(facts: NoticeFacts): string {
  return facts.condensed === null ? '' : `\n${renderCondensedNotice(facts, facts.condensed)}\n`;
}

function joinShownLines(lines: readonly ShownLine[]): string {
  const text = lines.map((line) => line.text).join('\n');
  return lines.at(-1)?.ended === true ? `${text}\n` : text;
}

function closeLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function toTruncation(selection: LineSelection, cutting: TruncationInput): Truncation {
  const { source, region, artifact, condensed } = cutting;
  const { head, between, tail } = selection;
  const { totalLines, totalBytes } = source;
  const [first, second] = toShownRanges(head, tail);
  const numbered = between.reduce((sum, line) => sum + Buffer.byteLength(renderNumberedLine(line)) + 1, 0);
  return {
    direction: truncationDirection(region, source),
    truncatedBy: condensed === null ? truncationReason(selection) : 'bytes',
    totalLines,
    totalBytes,
    outputLines: withoutMarkers(head).length + between.length + withoutMarkers(tail).length,
    outputBytes: Buffer.byteLength(joinShownLines(head)) + numbered + Buffer.byteLength(joinShownLines(tail)),
    // Of a condensed output no range is whole; `shown` has all of them.
    ...(first !== undefined && second === undefined && condensed === null ? { shownRange: first } : {}),
    ...(first !== undefined && second !== undefined && condensed === null
      ? { headRange: first, tailRange: second }
      : {}),
    ...(artifact === null ? {} : { artifactId: toArtifactId(artifact) }),
    ...(condensed === null ? {} : { condensedBy: condensed.by }),
  };
}

function truncationReason({ kind, head }: LineSelection): Truncation['truncatedBy'] {
  if (kind === 'cut') return 'bytes';
  return head.some(({ omittedBytes }) => omittedBytes > 0) ? 'columns' : 'lines';
}

/** Where a call asked for some lines, the part it asked for; else both ends are shown. */
function truncationDirection(region: OutputRegion, source: CountedOutput): Truncation['direction'] {
  if (region.to < source.totalBytes) return region.from > 0 ? 'middle' : 'head';
  return region.from > 0 ? 'tail' : 'middle';
}

/** Binary output is described and not shown. */
export function renderBinaryView(
  { totalBytes, totalLines }: CountedOutput,
  { head, artifact }: { readonly head: Buffer; readonly artifact: string | null },
): OutputView {
  const text = describeBinary({ head, totalBytes, artifact });
  const omitted = { lines: totalLines, bytes: totalBytes };
  return { text, totalBytes, totalLines, shown: [], omitted, truncation: null, binary: true };
}
