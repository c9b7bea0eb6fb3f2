/** Nothing but printable ASCII: one column each, and by far the most of what is drawn. */
const PLAIN = /^[\x20-\x7e]*$/;

const MARKS = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]+$/u;

/** Characters of Chinese, Japanese and Korean, full-width forms, and emoji that are drawn as pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** How many columns a text takes on a terminal. Control characters must be gone from it. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += clusterWidth(segment);
  return width;
}

/** The characters of a text as a reader counts them. */
export function charactersOf(text: string): string[] {
  if (PLAIN.test(text)) return [...text];
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** As much of a text as fits; what is cut off is marked. */
export function clip(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const character of charactersOf(text)) {
    width += clusterWidth(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return columns <= 0 ? '' : `${kept}…`;
}

/** A line as the rows it takes at this width; an empty one takes one. */
export function wrap(line: string, columns: number): string[] {
  if (columns <= 0) return [];
  if (PLAIN.test(line)) return wrapPlain(line, columns);
  const rows: string[] = [];
  let row = '';
  let width = 0;
  for (const character of charactersOf(line)) {
    const more = clusterWidth(character);
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

function clusterWidth(character: string): number {
  if (MARKS.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
