import { columnsOf } from '../../../index.ts';
import { charactersOf, isPlain } from '../../table/clip.ts';

/** A line as the rows it takes at this width; an empty one takes one. */
export function wrap(line: string, columns: number): string[] {
  if (columns <= 0) return [];
  if (isPlain(line)) return wrapPlain(line, columns);
  const rows: string[] = [];
  let row = '';
  let width = 0;
  for (const character of charactersOf(line)) {
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

function wrapPlain(line: string, columns: number): string[] {
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
  return [...rows, row.trimEnd()].flatMap((each) => wrap(each, columns));
}
