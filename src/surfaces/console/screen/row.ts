import { columnsOf } from '../../../index.ts';
import { clip } from '../../table/clip.ts';

/** What a piece of text is; the theme says how that looks. */
export type Tone =
  | 'plain'
  | 'output'
  | 'dim'
  | 'strong'
  | 'marked'
  | 'accent'
  | 'good'
  | 'bad'
  | 'warn'
  | 'title'
  | 'chosen'
  | 'status'
  | 'key'
  | 'alert';

/** Tones with a ground of their own: a row that ends with one is coloured to its end. */
export const BANDS: ReadonlySet<Tone> = new Set(['chosen', 'status', 'key', 'alert']);

export interface Span {
  readonly text: string;
  readonly tone: Tone;
  /** Already painted, such as a row of another terminal; `text` is what it says without colours. */
  readonly painted?: string;
}

/** One row of the screen. */
export type Row = readonly Span[];

export function span(text: string, tone: Tone = 'plain'): Span {
  return { text, tone };
}

export function widthOfRow(row: Row): number {
  return row.reduce((width, { text }) => width + columnsOf(text), 0);
}

/** The spans that fit, the last of them cut where it must be. */
export function clipRow(row: Row, columns: number): Row {
  const kept: Span[] = [];
  let left = columns;
  for (const each of row) {
    const width = columnsOf(each.text);
    if (width <= left) kept.push(each);
    else if (left > 0) kept.push({ text: clip(each.text, left), tone: each.tone });
    left -= width;
    if (left <= 0) break;
  }
  return kept;
}

/** Left and right of one row, with what is between them left blank; the right gives way first. */
export function spread(left: Row, right: Row, columns: number): Row {
  const gap = columns - widthOfRow(left) - widthOfRow(right);
  if (gap < 1) return clipRow(left, columns);
  return [...left, span(' '.repeat(gap), left.at(-1)?.tone ?? 'plain'), ...right];
}
