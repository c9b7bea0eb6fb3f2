import { isBinary } from '../binary.ts';
import { workedMs } from '../failures/work-clock.ts';
import { type CountedSource, countLines } from '../kept/line-places.ts';
import { sampleOf } from '../kept/sample.ts';
import type { RawSource } from '../kept/source.ts';
import { type Mask, NO_MASK } from '../mask.ts';
import type { Condenser } from '../minimise/condenser.ts';
import { Condensing } from '../minimise/condensing.ts';
import { Collector } from './collector.ts';
import { type CutLimits, type Selection, selectLines } from './cut.ts';
import { gatherLines } from './gather.ts';
import { type NoticeFacts, renderCondensedNotice, renderCutNotice, renderScanRemark } from './notice.ts';
import { type LineLimits, type Parts, partsOf, type Region, selectRegion } from './region.ts';
import { type Cutting, renderView } from './render.ts';
import { renderBinary } from './render-binary.ts';
import { viewShort } from './short-view.ts';
import type { View } from './view.ts';

/** How much the `agent` profile shows. */
export interface AgentLimits {
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

export const AGENT_LIMITS: AgentLimits = {
  budgetBytes: 50 * 1024,
  scanBytes: 256 * 1024 * 1024,
  scanMs: 2000,
  wideColumns: 10_000,
  narrowColumns: 2000,
};

export interface AgentViewOptions extends Partial<LineLimits> {
  /** `artifact://<id>`, or `null` when the full output was not kept. */
  readonly artifact: string | null;
  readonly mask?: Mask;
  readonly limits?: Partial<AgentLimits>;
  /** Asked only when the output does not fit: what makes it shorter before it is cut. */
  readonly condenser?: () => Promise<Condenser | null>;
}

const HEAD_SHARE = 0.15;
const FAILURE_SHARE = 0.45;
/** What the notice of a cut may add to the budget, with the empty lines around it. */
const NOTICE_ALLOWANCE = 200;
const EMPTY_LINES = 6;
/** More than this is not read line by line to make it shorter. */
const CONDENSED_BYTES = 64 * 1024 * 1024;
/** Of all lines: where less can be left out, nothing is. */
const MIN_LEFT_OUT = 0.1;

/**
 * What a model sees of an output: all of it where it fits, else its start, its end, and the lines between
 * them that tell why it failed, with one notice that says exactly what is shown and what is not.
 */
export async function toAgentView(raw: RawSource, options: AgentViewOptions): Promise<View> {
  const { artifact, mask = NO_MASK, headLines = null, tailLines = null } = options;
  const limits = { ...AGENT_LIMITS, ...options.limits };
  const short = headLines === null && tailLines === null ? viewShort(raw, { mask, limits }) : null;
  if (short !== null) return short;
  const sample = await sampleOf(raw);
  const source = await countLines(raw);
  if (isBinary(sample)) return renderBinary(source, { head: sample.head, artifact });
  const region = await selectRegion(source, { headLines, tailLines });
  const viewing: Viewing = { source, region, mask, limits, artifact };
  const plain = await viewPlain(viewing);
  if (plain.kind === 'whole' || artifact === null || region.asked !== null) return plain.render();
  const condenser = source.totalBytes > CONDENSED_BYTES ? null : await options.condenser?.();
  const shorter = condenser == null ? null : await viewCondensed(viewing, condenser);
  return (shorter ?? plain).render();
}

/** What is seen of what, and how much of it. */
interface Viewing {
  readonly source: CountedSource;
  readonly region: Region;
  readonly mask: Mask;
  readonly limits: AgentLimits;
  readonly artifact: string | null;
}

/** A view that is only put into words when it is wanted. */
interface Prepared {
  readonly kind: Selection['kind'];
  render(): View;
}

async function viewPlain(viewing: Viewing): Promise<Prepared> {
  const { source, region, mask, limits, artifact } = viewing;
  const parts = partsOf(source, region, limits.scanBytes);
  const collector = createCollector(limits);
  const deadline = workedMs() + limits.scanMs;
  const gathering = { region, parts, mask, hold: limits.wideColumns, deadline };
  const { skippedBytes } = await gatherLines(source, gathering, collector);
  const remarks = remarksOn(source, { region, scanned: bytesOf(parts) - skippedBytes });
  return prepare(collector, limits, { source, region, artifact, remarks, condensed: null });
}

/** `null`: it is hardly shorter. */
async function viewCondensed(viewing: Viewing, condenser: Condenser): Promise<Prepared | null> {
  const { source, region, mask, limits, artifact } = viewing;
  const parts = partsOf(source, region, CONDENSED_BYTES);
  const collector = createCollector(limits);
  const condensing = new Condensing(condenser, (entry) => collector.add(entry));
  await gatherLines(source, { region, parts, mask, hold: limits.wideColumns }, condensing);
  condensing.end();
  const { leftOut } = condensing;
  const lines = [...leftOut.values()].reduce((sum, count) => sum + count, 0);
  if (lines < MIN_LEFT_OUT * source.totalLines) return null;
  const remarks = remarksOn(source, { region, scanned: bytesOf(parts) });
  return prepare(collector, limits, {
    ...{ source, region, artifact, remarks },
    condensed: { by: condenser.name, leftOut },
  });
}

function createCollector(limits: AgentLimits): Collector {
  return new Collector({
    ...limits,
    headBytes: limits.budgetBytes * HEAD_SHARE,
    tailBytes: limits.budgetBytes,
  });
}

function prepare(collector: Collector, limits: AgentLimits, cutting: Cutting): Prepared {
  const cut: CutLimits = {
    ...limits,
    headShare: HEAD_SHARE,
    failureShare: FAILURE_SHARE,
    noticeBytes: extraBytes(cutting),
  };
  const selection: Selection = selectLines(collector.finish(), cut);
  return { kind: selection.kind, render: () => renderView(selection, cutting) };
}

function bytesOf({ front, back }: Parts): number {
  return [front, back].reduce((sum, part) => sum + (part === null ? 0 : part.to - part.from), 0);
}

function remarksOn(
  source: CountedSource,
  { region, scanned }: { readonly region: Region; readonly scanned: number },
): string[] {
  const remarks: string[] = [];
  const total = region.to - region.from;
  if (scanned < total) remarks.push(renderScanRemark(scanned, total));
  if (!region.complete) remarks.push('Some of the lines asked for are gone.');
  if (!source.exact) remarks.push('Line numbers count only what was kept.');
  return remarks;
}

/** How much longer the longest notice there can be is than what it may add to the budget. */
function extraBytes({ source, region, artifact, remarks, condensed }: Cutting): number {
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
    columns: AGENT_LIMITS.narrowColumns,
    artifact,
    remarks,
    shownLines: [totalLines, totalLines],
    condensed,
  };
  const trailer = condensed === null ? '' : renderCondensedNotice(facts, condensed);
  const longest = Buffer.byteLength(renderCutNotice(facts) + trailer) + EMPTY_LINES;
  return Math.max(0, longest - NOTICE_ALLOWANCE);
}
