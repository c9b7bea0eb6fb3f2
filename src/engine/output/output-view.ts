/** Lines counted from 1, both ends included. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** How an output was truncated, in machine-readable form. */
export interface Truncation {
  /** The part that is shown; `middle` is the part that is not. */
  readonly direction: 'head' | 'tail' | 'middle';
  /** `columns`: all lines are shown, some shortened. `lines`: only the line limits of the call. */
  readonly truncatedBy: 'bytes' | 'lines' | 'columns';
  readonly totalLines: number;
  readonly totalBytes: number;
  readonly outputLines: number;
  /** Bytes of the shown text, without the notice. */
  readonly outputBytes: number;
  /** Set if one range is shown. */
  readonly shownRange?: LineRange;
  /** Set, with `tailRange`, if two ranges are shown. */
  readonly headRange?: LineRange;
  readonly tailRange?: LineRange;
  readonly artifactId?: string;
  /** The condenser that omitted lines before the truncation. */
  readonly condensedBy?: string;
}

/** The part of an output that is shown, with its totals. */
export interface OutputView {
  readonly text: string;
  /** Size of the raw output. */
  readonly totalBytes: number;
  readonly totalLines: number;
  readonly shown: readonly LineRange[];
  /** Raw bytes and whole lines that are not in `text`; `null` when nothing is omitted. */
  readonly omitted: { readonly lines: number; readonly bytes: number } | null;
  readonly truncation: Truncation | null;
  /** `true`: `text` only describes the output. */
  readonly binary: boolean;
}

/** The view of an output that is shown completely. */
export function createCompleteView(
  text: string,
  { totalBytes, totalLines }: { readonly totalBytes: number; readonly totalLines: number },
): OutputView {
  const shown = totalLines === 0 ? [] : [{ from: 1, to: totalLines }];
  return { text, totalBytes, totalLines, shown, omitted: null, truncation: null, binary: false };
}

/** Turns ascending line numbers into ranges. */
export function toLineRanges(numbers: readonly number[]): LineRange[] {
  return mergeLineRanges(numbers.map((number) => ({ from: number, to: number })));
}

/** Merges ascending ranges that overlap or touch. */
export function mergeLineRanges(ranges: readonly LineRange[]): LineRange[] {
  const joined: LineRange[] = [];
  for (const { from, to } of ranges) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last.to + 1)
      joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, to) };
    else joined.push({ from, to });
  }
  return joined;
}

const ARTIFACT_SCHEME = 'artifact://';

/** The id in `artifact://<id>`. */
export function toArtifactId(artifact: string): string {
  return artifact.startsWith(ARTIFACT_SCHEME) ? artifact.slice(ARTIFACT_SCHEME.length) : artifact;
}
