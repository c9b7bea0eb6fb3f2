import { toGroupedNumber, toHumanSize } from '../../text/size.ts';
import { renderKinds } from '../minimise/tally.ts';
import type { LineRange } from './view.ts';

type Condensed = NonNullable<NoticeFacts['condensed']>;

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
  readonly condensed: { readonly by: string; readonly leftOut: ReadonlyMap<string, number> } | null;
}

/** The one notice of a cut. */
export function renderCutNotice(facts: NoticeFacts): string {
  const { numberedLines, hiddenLines, hiddenBytes, clippedLines, columns, remarks, artifact } = facts;
  const numbered = numberedLines === 0 ? '' : `, and ${count(numberedLines, 'numbered line')} between them`;
  const bytes = hiddenBytes === null ? '' : `, ${count(hiddenBytes, 'byte')}`;
  const hidden = `Not shown: ${count(hiddenLines, 'line')}${bytes}.`;
  const clipped =
    clippedLines === 0 ? [] : [`${count(clippedLines, 'line')} cut to at most ${columns} characters.`];
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
export function renderCondensedNotice(facts: NoticeFacts, { by, leftOut }: Condensed): string {
  const { numberedLines, totalLines, hiddenBytes, artifact } = facts;
  const shown = facts.shownLines.reduce((sum, lines) => sum + lines, numberedLines);
  const bytes = hiddenBytes === null ? '' : `; ${count(hiddenBytes, 'byte')}`;
  const kinds = renderKinds(new Map([...leftOut].sort(([, a], [, b]) => b - a).slice(0, MAX_KINDS)));
  return `[Condensed (${by}): ${toGroupedNumber(shown)} of ${count(totalLines, 'line')} shown. Left out: ${kinds}${bytes}.]\n[raw output: ${artifact}]`;
}

/** The notice where every line is shown, but some are cut. */
export function renderColumnNotice(facts: NoticeFacts): string {
  const { clippedLines, columns, hiddenBytes, remarks, artifact } = facts;
  const lines = `${count(clippedLines, 'long line')} cut to at most ${columns} characters, ${count(hiddenBytes ?? 0, 'byte')} not shown.`;
  return `[${[lines, ...remarks, renderArtifact(artifact)].join(' ')}]`;
}

/** Said when failures were not looked for everywhere. */
export function renderScanRemark(scannedBytes: number, totalBytes: number): string {
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

function count(amount: number, word: string): string {
  return `${toGroupedNumber(amount)} ${word}${amount === 1 ? '' : 's'}`;
}
