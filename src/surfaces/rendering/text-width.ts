import { displayWidth } from '../../engine/text/display-width.ts';

export { displayWidth };

/** Printable ASCII takes one column per character; most text matches this fast path. */
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Whether every character of a text takes one column. */
export function isPrintableAscii(text: string): boolean {
  return PRINTABLE_ASCII.test(text);
}

/** Splits a text into grapheme clusters. */
export function splitGraphemes(text: string): string[] {
  if (isPrintableAscii(text)) return [...text];
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Clips a text to a width; a clipped text ends with `…`. */
export function clipText(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const character of splitGraphemes(text)) {
    width += displayWidth(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return columns < 1 ? '' : `${kept}…`;
}

/** Wraps a line at a width; an empty line is one row. */
export function wrapText(line: string, columns: number): string[] {
  if (columns <= 0) return [];
  if (isPrintableAscii(line)) return wrapAscii(line, columns);
  const rows: string[] = [];
  let row = '';
  let width = 0;
  for (const character of splitGraphemes(line)) {
    const more = displayWidth(character);
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

/** Wraps prose between words; only a word that is longer than a row is split. */
export function wrapWords(line: string, columns: number): string[] {
  if (columns <= 0) return [];
  const [indent = ''] = /^ */.exec(line) ?? [];
  const rows: string[] = [];
  let row = indent;
  for (const word of line.slice(indent.length).split(/(?<=\s)(?=\S)/)) {
    if (displayWidth(row + word.trimEnd()) > columns && row.trim() !== '') {
      rows.push(row.trimEnd());
      row = indent;
    }
    row += word;
  }
  return [...rows, row.trimEnd()].flatMap((each) => wrapText(each, columns));
}
