import { columnsOf } from '../../index.ts';

/** Nothing but printable ASCII: one column each, and by far the most of what is drawn. */
const PLAIN = /^[\x20-\x7e]*$/;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Whether every character of a text takes one column. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** The characters of a text as a reader counts them. */
export function charactersOf(text: string): string[] {
  if (isPlain(text)) return [...text];
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** As much of a text as fits; one that was cut ends with `…`. */
export function clip(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const character of charactersOf(text)) {
    width += columnsOf(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return columns < 1 ? '' : `${kept}…`;
}
