import { toCount, toGroupedNumber, toHumanSize } from '../../text/format-size.ts';
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

/** Kinds named in the total; each count in the text names all of its kinds. */
const MAX_KINDS = 4;

/** The facts of a truncation notice. */
export interface NoticeFacts {
  /** The contiguous ranges shown: the head, the tail, or both. */
  readonly ranges: readonly LineRange[];
  /** Failure lines between them, shown with their numbers. */
  readonly numberedLines: number;
  readonly totalLines: number;
  readonly requested: LineRange | null;
  readonly hiddenLines: number;
  /** `null` if unknown. */
  readonly hiddenBytes: number | null;
  /** Number of shortened lines, and the width limit. */
  readonly clippedLines: number;
  readonly columns: number;
  readonly artifact: string | null;
  /** Further sentences. */
  readonly remarks: readonly string[];
  /** Number of lines shown of each range, if lines were omitted. */
  readonly shownLines: readonly number[];
  readonly condensed: { readonly by: string; readonly omittedByKind: ReadonlyMap<string, number> } | null;
}

/** The notice of a truncated output. */
export function renderTruncationNotice(facts: NoticeFacts): string {
  const { numberedLines, hiddenLines, hiddenBytes, clippedLines, columns, remarks, artifact } = facts;
  const numbered = numberedLines === 0 ? '' : `, and ${toCount(numberedLines, 'numbered line')} between them`;
  const bytes = hiddenBytes === null ? '' : `, ${toCount(hiddenBytes, 'byte')}`;
  const hidden = `Not shown: ${toCount(hiddenLines, 'line')}${bytes}.`;
  const clipped =
    clippedLines === 0 ? [] : [`${toCount(clippedLines, 'line')} cut to at most ${columns} characters.`];
  const sentences = [
    `${renderRanges(facts)}${numbered}.`,
    hidden,
    ...clipped,
    ...remarks,
    ...(facts.condensed === null ? [renderArtifact(artifact)] : []),
  ];
  return `[${sentences.join(' ')}]`;
}

/** The notice below a condensed output: what was omitted, and where the raw output is. */
export function renderCondensedNotice(facts: NoticeFacts, { by, omittedByKind }: CondensedFacts): string {
  const { numberedLines, totalLines, hiddenBytes, artifact } = facts;
  const shown = facts.shownLines.reduce((sum, lines) => sum + lines, numberedLines);
  const bytes = hiddenBytes === null ? '' : `; ${toCount(hiddenBytes, 'byte')}`;
  const kinds = renderOmittedKinds(
    new Map([...omittedByKind].sort(([, a], [, b]) => b - a).slice(0, MAX_KINDS)),
  );
  return `[Condensed (${by}): ${toGroupedNumber(shown)} of ${toCount(totalLines, 'line')} shown. Left out: ${kinds}${bytes}.]\n[raw output: ${artifact}]`;
}

/** The notice if all lines are shown, but some are shortened. */
function renderWidthNotice(facts: NoticeFacts): string {
  const { clippedLines, columns, hiddenBytes, remarks, artifact } = facts;
  const lines = `${toCount(clippedLines, 'long line')} cut to at most ${columns} characters, ${toCount(hiddenBytes ?? 0, 'byte')} not shown.`;
  return `[${[lines, ...remarks, renderArtifact(artifact)].join(' ')}]`;
}

/** The note that only a part was searched for failures. */
export function renderScanNote(scannedBytes: number, totalBytes: number): string {
  return `Searched ${toHumanSize(scannedBytes)} of ${toHumanSize(totalBytes)} for failures.`;
}

function renderRanges({ ranges, totalLines, requested, condensed, shownLines }: NoticeFacts): string {
  const whole = requested === null ? `${totalLines}` : `the requested lines ${renderRange(requested)}`;
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

/** The output, region and notes for a view. */
export interface TruncationInput {
  readonly source: CountedOutput;
  readonly region: OutputRegion;
  readonly artifact: string | null;
  readonly remarks: readonly string[];
  /** How the output was condensed before truncation; `null`: not condensed. */
  readonly condensed: CondensingResult | null;
}

/** The result of a condenser. */
interface CondensingResult {
  readonly by: string;
  /** Number of omitted lines by kind. */
  readonly omittedByKind: ReadonlyMap<string, number>;
}

/** Renders a selection: the text with its notice, and the same facts for programs. */
export function renderView(selection: LineSelection, input: TruncationInput): OutputView {
  const { totalBytes, totalLines } = input.source;
  const { head, between, tail } = selection;
  const shownBytes = countShownRawBytes(selection);
  const shown = [
    ...findCoveredRanges(head),
    ...between.map(({ number }) => ({ from: number, to: number })),
    ...findCoveredRanges(tail),
  ];
  const omitted = { lines: totalLines - countRangeLines(shown), bytes: totalBytes - shownBytes };
  const everything = omitted.lines === 0 && omitted.bytes === 0;
  const facts = toNoticeFacts(selection, input);
  return {
    text: copyString(renderText(selection, facts) + renderTrailer(facts)),
    totalBytes,
    totalLines,
    shown: mergeLineRanges(shown),
    omitted: everything ? null : omitted,
    truncation: everything ? null : toTruncation(selection, input),
    binary: false,
  };
}

/** Counts within the requested lines: lines that the call did not request are not omitted. */
function toNoticeFacts(selection: LineSelection, input: TruncationInput): NoticeFacts {
  const { source, region, artifact, remarks, condensed } = input;
  const { head, between, tail, columns } = selection;
  const lines = withoutMarkers([...head, ...tail]);
  const { from, to } = region.requested ?? { from: 1, to: source.totalLines };
  return {
    ranges: toShownRanges(head, tail),
    numberedLines: between.length,
    totalLines: source.totalLines,
    requested: region.requested,
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

/** The raw lines that these lines stand for. */
function findCoveredRanges(lines: readonly ShownLine[]): LineRange[] {
  return withoutMarkers(lines).flatMap(({ covers: { last, lines: count } }) =>
    count === 0 ? [] : { from: last - count + 1, to: last },
  );
}

function countRangeLines(ranges: readonly LineRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
}

function withoutMarkers(lines: readonly ShownLine[]): readonly ShownLine[] {
  return lines.filter(({ marker }) => !marker);
}

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

function toTruncation(selection: LineSelection, input: TruncationInput): Truncation {
  const { source, region, artifact, condensed } = input;
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
    // No range of a condensed output is complete; `shown` lists all of them.
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

/** The requested part; `middle` if both ends are shown. */
function truncationDirection(region: OutputRegion, source: CountedOutput): Truncation['direction'] {
  if (region.to < source.totalBytes) return region.from > 0 ? 'middle' : 'head';
  return region.from > 0 ? 'tail' : 'middle';
}

/** A view that describes binary output. */
export function renderBinaryView(
  { totalBytes, totalLines }: CountedOutput,
  { head, artifact }: { readonly head: Buffer; readonly artifact: string | null },
): OutputView {
  const text = describeBinary({ head, totalBytes, artifact });
  const omitted = { lines: totalLines, bytes: totalBytes };
  return { text, totalBytes, totalLines, shown: [], omitted, truncation: null, binary: true };
}
