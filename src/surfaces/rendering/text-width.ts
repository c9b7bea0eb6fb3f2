import { columnsOf } from '../../index.ts';

/** Nothing but printable ASCII: one column each, and by far the most of what is drawn. */
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Whether every character of a text takes one column. */
export function isPrintableAscii(text: string): boolean {
  return PRINTABLE_ASCII.test(text);
}

/** The characters of a text as a reader counts them. */
export function splitGraphemes(text: string): string[] {
  if (isPrintableAscii(text)) return [...text];
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** As much of a text as fits; one that was cut ends with `…`. */
export function clipText(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const character of splitGraphemes(text)) {
    width += columnsOf(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return columns < 1 ? '' : `${kept}…`;
}

/** A line as the rows it takes at this width; an empty one takes one. */
export function wrapText(line: string, columns: number): string[] {
  if (columns <= 0) return [];
  if (isPrintableAscii(line)) return wrapAscii(line, columns);
  const rows: string[] = [];
  let row = '';
  let width = 0;
  for (const character of splitGraphemes(line)) {
    const more = columnsOf(character);
    if (width + more > columns && row !== '') {
      rows.push(row);
      row = '';
      width = 0;
    }
    row += character;
    width += more;
  }
  return [...rows, row];
}

function wrapAscii(line: string, columns: number): string[] {
  if (line.length <= columns) return [line];
  const rows: string[] = [];
  for (let at = 0; at < line.length; at += columns) rows.push(line.slice(at, at + columns));
  return rows;
}

/** Prose as rows: broken between words, and within one only where it does not fit by itself. */
export function wrapWords(line: string, columns: number): string[] {
  if (columns <= 0) return [];
  const [indent = ''] = /^ */.exec(line) ?? [];
  const rows: string[] = [];
  let row = indent;
  for (const word of line.slice(indent.length).split(/(?<=\s)(?=\S)/)) {
    if (columnsOf(row + word.trimEnd()) > columns && row.trim() !== '') {
      rows.push(row.trimEnd());
      row = indent;
    }
    row += word;
  }
  return [...rows, row.trimEnd()].flatMap((each) => wrapText(each, columns));
}
