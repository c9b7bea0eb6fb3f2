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
}

/** What is shown of an output. */
export interface View {
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
export function toRanges(numbers: readonly number[]): LineRange[] {
  const ranges: LineRange[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number <= last.to + 1)
      ranges[ranges.length - 1] = { from: last.from, to: number };
    else ranges.push({ from: number, to: number });
  }
  return ranges;
}

const SCHEME = 'artifact://';

/** The id in `artifact://<id>`. */
export function artifactIdOf(artifact: string): string {
  return artifact.startsWith(SCHEME) ? artifact.slice(SCHEME.length) : artifact;
}
