import { isBinary } from '../binary.ts';
import { type CountedSource, countLines } from '../kept/line-places.ts';
import { sampleOf } from '../kept/sample.ts';
import type { RawSource } from '../kept/source.ts';
import { type Mask, NO_MASK } from '../mask.ts';
import { Collector } from './collector.ts';
import { type CutLimits, type Selection, selectLines } from './cut.ts';
import { gatherLines } from './gather.ts';
import { type NoticeFacts, renderCutNotice, renderScanRemark } from './notice.ts';
import { type LineLimits, type Parts, partsOf, type Region, selectRegion } from './region.ts';
import { type Cutting, renderView } from './render.ts';
import { renderBinary } from './render-binary.ts';
import type { View } from './view.ts';

/** How much the `agent` profile shows. */
export interface AgentLimits {
  readonly budgetBytes: number;
  /** How much of an output that does not fit is looked at, at its ends, to find failures in it, */
  readonly scanBytes: number;
  /** and how long. */
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
}

const HEAD_SHARE = 0.15;
const FAILURE_SHARE = 0.45;
/** What the notice of a cut may add to the budget, with the empty lines around it. */
const NOTICE_ALLOWANCE = 200;
const EMPTY_LINES = 4;

/**
 * What a model sees of an output: all of it where it fits, else its start, its end, and the lines between
 * them that tell why it failed, with one notice that says exactly what is shown and what is not.
 */
export async function toAgentView(raw: RawSource, options: AgentViewOptions): Promise<View> {
  const { artifact, mask = NO_MASK, headLines = null, tailLines = null } = options;
  const limits = { ...AGENT_LIMITS, ...options.limits };
  const sample = await sampleOf(raw);
  const source = await countLines(raw);
  if (isBinary(sample)) return renderBinary(source, { head: sample.head, artifact });
  const region = await selectRegion(source, { headLines, tailLines });
  const parts = partsOf(source, region, limits.scanBytes);
  const collector = new Collector({
    ...limits,
    headBytes: limits.budgetBytes * HEAD_SHARE,
    tailBytes: limits.budgetBytes,
  });
  const deadline = performance.now() + limits.scanMs;
  const gathering = { region, parts, mask, hold: limits.wideColumns, deadline };
  const { skippedBytes } = await gatherLines(source, gathering, collector);
  const remarks = remarksOn(source, { region, scanned: bytesOf(parts) - skippedBytes });
  const cutting: Cutting = { source, region, artifact, remarks };
  const cut: CutLimits = {
    ...limits,
    headShare: HEAD_SHARE,
    failureShare: FAILURE_SHARE,
    noticeBytes: extraBytes(cutting),
  };
  const selection: Selection = selectLines(collector.finish(), cut);
  return renderView(selection, cutting);
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
function extraBytes({ source, region, artifact, remarks }: Cutting): number {
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
  };
  return Math.max(0, Buffer.byteLength(renderCutNotice(facts)) + EMPTY_LINES - NOTICE_ALLOWANCE);
}
