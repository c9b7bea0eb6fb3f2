import { isBinary } from '../binary-detection.ts';
import type { Condenser } from '../condensers/condenser.ts';
import { LineCondenser } from '../condensers/line-condenser.ts';
import { cpuTimeMs } from '../failures/failure-scanner.ts';
import type { OutputView } from '../output-view.ts';
import { type CountedOutput, countLines } from '../raw/line-counting.ts';
import { type RawOutput, readSample } from '../raw/raw-output.ts';
import { NO_SECRET_MASK, type SecretMask } from '../secret-mask.ts';
import { gatherLines } from './gather-lines.ts';
import { LineCollector, type LineSelection, type SelectionLimits, selectLines } from './line-selection.ts';
import {
  type OutputRegion,
  type RegionParts,
  type RequestedLines,
  selectRegion,
  splitRegion,
} from './output-region.ts';
import {
  type NoticeFacts,
  renderBinaryView,
  renderCondensedNotice,
  renderScanNote,
  renderTruncationNotice,
  renderView,
  type TruncationInput,
} from './render-view.ts';

/** Most commands print less than this. */
const MAX_SHORT_BYTES = 4096;

/** Anything but letters as a terminal shows them one after the other, tabs and newlines. */
const NOT_PLAIN_ASCII = /[^\t\n\x20-\x7e]/;

export interface ShortViewOptions {
  readonly mask: SecretMask;
  readonly limits: { readonly budgetBytes: number; readonly wideColumns: number };
}

/**
 * A short and plain output as it is; `null` for any other. The long way gives the same (a test holds it), in a time that a
 * command which prints a word does not take itself.
 */
export function viewShortOutput(raw: RawOutput, { mask, limits }: ShortViewOptions): OutputView | null {
  const { whole, totalBytes, newlines, unterminated } = raw;
  const most = Math.min(MAX_SHORT_BYTES, limits.budgetBytes, limits.wideColumns);
  if (whole === undefined || totalBytes > most || newlines === null || unterminated === null) return null;
  const text = whole.toString('latin1');
  if (NOT_PLAIN_ASCII.test(text) || mask.apply(text) !== text) return null;
  const totalLines = newlines + (unterminated ? 1 : 0);
  const shown = totalLines === 0 ? [] : [{ from: 1, to: totalLines }];
  return { text, totalBytes, totalLines, shown, omitted: null, truncation: null, binary: false };
}

/** How much the `agent` profile shows. */
export interface AgentViewLimits {
  readonly budgetBytes: number;
  /** How much of an output that does not fit is looked at, at its ends, to find failures in it, */
  readonly scanBytes: number;
  /** and how long, in time of the processor. */
  readonly scanMs: number;
  /** One line is never wider than this where all of the output fits, */
  readonly wideColumns: number;
  /** and where it does not, so that one line does not take the room of a hundred. */
  readonly narrowColumns: number;
}

export const AGENT_VIEW_LIMITS: AgentViewLimits = {
  budgetBytes: 50 * 1024,
  scanBytes: 256 * 1024 * 1024,
  scanMs: 2000,
  wideColumns: 10_000,
  narrowColumns: 2000,
};

export interface AgentViewOptions extends Partial<RequestedLines> {
  /** `artifact://<id>`, or `null` when the full output was not kept. */
  readonly artifact: string | null;
  readonly mask?: SecretMask;
  readonly limits?: Partial<AgentViewLimits>;
  /** Asked only when the output does not fit: what makes it shorter before it is cut. */
  readonly condenser?: () => Promise<Condenser | null>;
}

const HEAD_SHARE = 0.15;
const FAILURE_SHARE = 0.45;
/** What the notice of a cut may add to the budget, with the empty lines around it. */
const NOTICE_ALLOWANCE = 200;
const EMPTY_LINES = 6;
/** More than this is not read line by line to make it shorter. */
const MAX_CONDENSED_BYTES = 64 * 1024 * 1024;
/** Of all lines: where less can be left out, nothing is. */
const MIN_OMITTED_SHARE = 0.1;

/**
 * What a model sees of an output: all of it where it fits, else its start, its end, and the lines between
 * them that tell why it failed, with one notice that says exactly what is shown and what is not.
 */
export async function toAgentView(raw: RawOutput, options: AgentViewOptions): Promise<OutputView> {
  const { artifact, mask = NO_SECRET_MASK, headLines = null, tailLines = null } = options;
  const limits = { ...AGENT_VIEW_LIMITS, ...options.limits };
  const short = headLines === null && tailLines === null ? viewShortOutput(raw, { mask, limits }) : null;
  if (short !== null) return short;
  const sample = await readSample(raw);
  const source = await countLines(raw);
  if (isBinary(sample)) return renderBinaryView(source, { head: sample.head, artifact });
  const region = await selectRegion(source, { headLines, tailLines });
  const viewing: ViewInput = { source, region, mask, limits, artifact };
  const plain = await viewPlain(viewing);
  if (plain.kind === 'whole' || artifact === null || region.asked !== null) return plain.render();
  const condenser = source.totalBytes > MAX_CONDENSED_BYTES ? null : await options.condenser?.();
  const shorter = condenser == null ? null : await viewCondensed(viewing, condenser);
  return (shorter ?? plain).render();
}

/** What is seen of what, and how much of it. */
interface ViewInput {
  readonly source: CountedOutput;
  readonly region: OutputRegion;
  readonly mask: SecretMask;
  readonly limits: AgentViewLimits;
  readonly artifact: string | null;
}

/** A view that is only put into words when it is wanted. */
interface PreparedView {
  readonly kind: LineSelection['kind'];
  render(): OutputView;
}

async function viewPlain(viewing: ViewInput): Promise<PreparedView> {
  const { source, region, mask, limits, artifact } = viewing;
  const parts = splitRegion(source, region, limits.scanBytes);
  const collector = createCollector(limits);
  const deadline = cpuTimeMs() + limits.scanMs;
  const gathering = { region, parts, mask, hold: limits.wideColumns, deadline };
  const { skippedBytes } = await gatherLines(source, gathering, collector);
  const remarks = describeScanGaps(source, { region, scanned: countPartsBytes(parts) - skippedBytes });
  return prepareView(collector, limits, { source, region, artifact, remarks, condensed: null });
}

/** `null`: it is hardly shorter. */
async function viewCondensed(viewing: ViewInput, condenser: Condenser): Promise<PreparedView | null> {
  const { source, region, mask, limits, artifact } = viewing;
  const parts = splitRegion(source, region, MAX_CONDENSED_BYTES);
  const collector = createCollector(limits);
  const condensing = new LineCondenser(condenser, (entry) => collector.add(entry));
  await gatherLines(source, { region, parts, mask, hold: limits.wideColumns }, condensing);
  condensing.end();
  const { omittedByKind } = condensing;
  const lines = [...omittedByKind.values()].reduce((sum, count) => sum + count, 0);
  if (lines < MIN_OMITTED_SHARE * source.totalLines) return null;
  const remarks = describeScanGaps(source, { region, scanned: countPartsBytes(parts) });
  return prepareView(collector, limits, {
    ...{ source, region, artifact, remarks },
    condensed: { by: condenser.name, omittedByKind },
  });
}

function createCollector(limits: AgentViewLimits): LineCollector {
  return new LineCollector({
    ...limits,
    headBytes: limits.budgetBytes * HEAD_SHARE,
    tailBytes: limits.budgetBytes,
  });
}

function prepareView(
  collector: LineCollector,
  limits: AgentViewLimits,
  cutting: TruncationInput,
): PreparedView {
  const cut: SelectionLimits = {
    ...limits,
    headShare: HEAD_SHARE,
    failureShare: FAILURE_SHARE,
    noticeBytes: countNoticeOverheadBytes(cutting),
  };
  const selection: LineSelection = selectLines(collector.finish(), cut);
  return { kind: selection.kind, render: () => renderView(selection, cutting) };
}

function countPartsBytes({ front, back }: RegionParts): number {
  return [front, back].reduce((sum, part) => sum + (part === null ? 0 : part.to - part.from), 0);
}

function describeScanGaps(
  source: CountedOutput,
  { region, scanned }: { readonly region: OutputRegion; readonly scanned: number },
): string[] {
  const remarks: string[] = [];
  const total = region.to - region.from;
  if (scanned < total) remarks.push(renderScanNote(scanned, total));
  if (!region.complete) remarks.push('Some of the lines asked for are gone.');
  if (!source.exact) remarks.push('Line numbers count only what was kept.');
  return remarks;
}

/** How much longer the longest notice there can be is than what it may add to the budget. */
function countNoticeOverheadBytes({ source, region, artifact, remarks, condensed }: TruncationInput): number {
  const { totalBytes, totalLines } = source;
  const facts: NoticeFacts = {
    ranges: [
      { from: totalLines, to: totalLines + 1 },
      { from: totalLines, to: totalLines + 1 },
    ],
    numberedLines: totalLines,
    totalLines,
    asked: region.asked,
    hiddenLines: totalLines,
    hiddenBytes: totalBytes,
    clippedLines: totalLines,
    columns: AGENT_VIEW_LIMITS.narrowColumns,
    artifact,
    remarks,
    shownLines: [totalLines, totalLines],
    condensed,
  };
  const trailer = condensed === null ? '' : renderCondensedNotice(facts, condensed);
  const longest = Buffer.byteLength(renderTruncationNotice(facts) + trailer) + EMPTY_LINES;
  return Math.max(0, longest - NOTICE_ALLOWANCE);
}
