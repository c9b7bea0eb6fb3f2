/** Lines counted from 1, both ends included. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** How an output was cut, as a program reads it. */
export interface Truncation {
  /** Which part is shown; `middle` names the part that is not. */
  readonly direction: 'head' | 'tail' | 'middle';
  /** `columns`: every line is shown, some of them cut. `lines`: nothing but the limits of the call. */
  readonly truncatedBy: 'bytes' | 'lines' | 'columns';
  readonly totalLines: number;
  readonly totalBytes: number;
  readonly outputLines: number;
  /** Of the text shown, without the notice. */
  readonly outputBytes: number;
  /** Where one range is shown. */
  readonly shownRange?: LineRange;
  /** Where two are. */
  readonly headRange?: LineRange;
  readonly tailRange?: LineRange;
  readonly artifactId?: string;
  /** Which condenser left lines out before anything was cut. */
  readonly condensedBy?: string;
}

/** What is shown of an output. */
export interface OutputView {
  readonly text: string;
  /** Of the raw output. */
  readonly totalBytes: number;
  readonly totalLines: number;
  readonly shown: readonly LineRange[];
  /** Raw bytes and whole lines that are not in `text`; `null` when everything is. */
  readonly omitted: { readonly lines: number; readonly bytes: number } | null;
  readonly truncation: Truncation | null;
  /** `true`: `text` describes the output and shows none of it. */
  readonly binary: boolean;
}

/** Numbers in ascending order as ranges. */
export function toLineRanges(numbers: readonly number[]): LineRange[] {
  return mergeLineRanges(numbers.map((number) => ({ from: number, to: number })));
}

/** Ranges in ascending order, those that touch as one. */
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
