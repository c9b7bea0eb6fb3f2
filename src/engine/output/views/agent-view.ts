import { isBinary } from '../binary-detection.ts';
import type { Condenser } from '../condensers/condenser.ts';
import { LineCondenser } from '../condensers/line-condenser.ts';
import { cpuTimeMs } from '../failures/failure-scanner.ts';
import { createCompleteView, type OutputView } from '../output-view.ts';
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

const MAX_SHORT_BYTES = 4096;

/** Characters that need decoding or terminal emulation. */
const NOT_PLAIN_ASCII = /[^\t\n\x20-\x7e]/;

interface ShortViewOptions {
  readonly mask: SecretMask;
  readonly limits: { readonly budgetBytes: number; readonly wideColumns: number };
}

/**
 * Returns a short, plain output unchanged, or `null` for any other. It gives the same result as the full path
 * (a test compares them) in much less time.
 */
export function viewShortOutput(raw: RawOutput, { mask, limits }: ShortViewOptions): OutputView | null {
  const { whole, totalBytes, newlines, unterminated } = raw;
  const most = Math.min(MAX_SHORT_BYTES, limits.budgetBytes, limits.wideColumns);
  if (whole === undefined || totalBytes > most || newlines === null || unterminated === null) return null;
  const text = whole.toString('latin1');
  if (NOT_PLAIN_ASCII.test(text) || mask.apply(text) !== text) return null;
  return createCompleteView(text, { totalBytes, totalLines: newlines + (unterminated ? 1 : 0) });
}

/** Size and time limits of the `agent` view. */
interface AgentViewLimits {
  readonly budgetBytes: number;
  /** Bytes at the ends of a long output that are searched for failures. */
  readonly scanBytes: number;
  /** CPU time for that search. */
  readonly scanMs: number;
  /** Maximum line width if the whole output fits. */
  readonly wideColumns: number;
  /** Maximum line width if it does not, so that one line does not use the space of many. */
  readonly narrowColumns: number;
}

/** Default limits of the `agent` view. */
export const AGENT_VIEW_LIMITS: AgentViewLimits = {
  budgetBytes: 50 * 1024,
  scanBytes: 256 * 1024 * 1024,
  scanMs: 2000,
  wideColumns: 10_000,
  narrowColumns: 2000,
};

/** Options of `toAgentView`. */
export interface AgentViewOptions extends Partial<RequestedLines> {
  /** `artifact://<id>`, or `null` when the full output was not kept. */
  readonly artifact: string | null;
  readonly mask?: SecretMask;
  readonly limits?: Partial<AgentViewLimits>;
  /** Called only if the output does not fit; the condenser is applied before truncation. */
  readonly condenser?: () => Promise<Condenser | null>;
}

const HEAD_SHARE = 0.15;
const FAILURE_SHARE = 0.45;
/** Bytes that the truncation notice may add to the budget, with the empty lines around it. */
const NOTICE_ALLOWANCE = 200;
const EMPTY_LINES = 6;
/** A longer output is not condensed. */
const MAX_CONDENSED_BYTES = 64 * 1024 * 1024;
/** If fewer of the lines can be omitted, the output is not condensed. */
const MIN_OMITTED_SHARE = 0.1;

/**
 * Renders an output for a model: all of it if it fits, otherwise its start, its end and the lines between them
 * that explain a failure, with one notice of what is shown and what is not.
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
  const input: ViewInput = { source, region, mask, limits, artifact };
  const plain = await viewPlain(input);
  if (plain.kind === 'whole' || artifact === null || region.requested !== null) return plain.render();
  const condenser = source.totalBytes > MAX_CONDENSED_BYTES ? null : await options.condenser?.();
  const condensed = condenser == null ? null : await viewCondensed(input, condenser);
  return (condensed ?? plain).render();
}

interface ViewInput {
  readonly source: CountedOutput;
  readonly region: OutputRegion;
  readonly mask: SecretMask;
  readonly limits: AgentViewLimits;
  readonly artifact: string | null;
}

/** A view that is rendered only if it is used. */
interface PreparedView {
  readonly kind: LineSelection['kind'];
  render(): OutputView;
}

async function viewPlain(input: ViewInput): Promise<PreparedView> {
  const { source, region, mask, limits, artifact } = input;
  const parts = splitRegion(source, region, limits.scanBytes);
  const collector = createCollector(limits);
  const deadline = cpuTimeMs() + limits.scanMs;
  const gathering = { region, parts, mask, edgeCharacters: limits.wideColumns, deadline };
  const skippedBytes = await gatherLines(source, gathering, collector);
  const remarks = describeScanGaps(source, { region, scanned: countPartsBytes(parts) - skippedBytes });
  return prepareView(collector, limits, { source, region, artifact, remarks, condensed: null });
}

/** `null`: hardly any lines can be omitted. */
async function viewCondensed(input: ViewInput, condenser: Condenser): Promise<PreparedView | null> {
  const { source, region, mask, limits, artifact } = input;
  const parts = splitRegion(source, region, MAX_CONDENSED_BYTES);
  const collector = createCollector(limits);
  const condensing = new LineCondenser(condenser, (entry) => collector.add(entry));
  await gatherLines(source, { region, parts, mask, edgeCharacters: limits.wideColumns }, condensing);
  condensing.end();
  const { omittedByKind } = condensing;
  const lines = [...omittedByKind.values()].reduce((sum, count) => sum + count, 0);
  if (lines < MIN_OMITTED_SHARE * source.totalLines) return null;
  const remarks = describeScanGaps(source, { region, scanned: countPartsBytes(parts) });
  const condensed = { by: condenser.name, omittedByKind };
  return prepareView(collector, limits, { source, region, artifact, remarks, condensed });
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
  input: TruncationInput,
): PreparedView {
  const cut: SelectionLimits = {
    ...limits,
    headShare: HEAD_SHARE,
    failureShare: FAILURE_SHARE,
    noticeBytes: countNoticeOverheadBytes(input),
  };
  const selection: LineSelection = selectLines(collector.finish(), cut);
  return { kind: selection.kind, render: () => renderView(selection, input) };
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
  if (!region.complete) remarks.push('Some of the requested lines are missing.');
  if (!source.exact) remarks.push('Line numbers count only stored output.');
  return remarks;
}

/** How much the longest possible notice exceeds its allowance. */
function countNoticeOverheadBytes({ source, region, artifact, remarks, condensed }: TruncationInput): number {
  const { totalBytes, totalLines } = source;
  const facts: NoticeFacts = {
    ranges: [
      { from: totalLines, to: totalLines + 1 },
      { from: totalLines, to: totalLines + 1 },
    ],
    numberedLines: totalLines,
    totalLines,
    requested: region.requested,
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
