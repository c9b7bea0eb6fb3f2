/** A screen of a terminal as an SVG: what is on it, in its colours. Nothing is drawn by hand. */

import { displayWidth } from '../dist/engine/text/display-width.js';

const CELL = { width: 8.4, height: 19 };
const BACK = '#0d1117';
const TEXT = '#d7dae0';
const DIM = '#8b949e';

/** The first sixteen colours have names and no numbers. */
const NAMED = [
  ...['#484f58', '#ff7b72', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#d7dae0'],
  ...['#6e7681', '#ffa198', '#7ee787', '#f2cc60', '#a5d6ff', '#e2c5ff', '#b3f0ff', '#f0f6fc'],
];

/** Rows as `Screen.painted()` gives them. */
export function toSvg(rows, size) {
  const width = size.columns * CELL.width + 24;
  const height = size.rows * CELL.height + 24;
  const body = rows.map(({ painted }, row) => drawRow(painted, 12 + row * CELL.height)).join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">
<rect width="${width}" height="${height}" rx="8" fill="${BACK}"/>
${body}
</svg>
`;
}

/** One row: pieces of one style each, from the codes between them. */
function drawRow(painted, top) {
  const parts = [];
  let column = 0;
  let style = {};
  for (const piece of painted.split(/(\x1b\[[\d;]*m)/)) {
    const [, codes] = /^\x1b\[([\d;]*)m$/.exec(piece) ?? [];
    if (codes !== undefined) {
      style = styleOf(codes);
      continue;
    }
    const cells = displayWidth(piece);
    if (cells === 0) continue;
    const left = 12 + column * CELL.width;
    const [fore, back] = style.inverse
      ? [BACK, style.colour ?? TEXT]
      : [style.colour ?? (style.dim ? DIM : TEXT), style.back];
    if (back)
      parts.push(
        `<rect x="${left}" y="${top}" width="${cells * CELL.width}" height="${CELL.height}" fill="${back}"/>`,
      );
    if (piece.trim() !== '')
      parts.push(
        `<text x="${left}" y="${top + 14}" fill="${fore}"${style.bold ? ' font-weight="bold"' : ''}${style.underline ? ' text-decoration="underline"' : ''} textLength="${cells * CELL.width}" xml:space="preserve">${toXml(piece)}</text>`,
      );
    column += cells;
  }
  return parts.join('');
}

function styleOf(codes) {
  const numbers = codes.split(';').map(Number);
  const style = {};
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at];
    if (number === 1) style.bold = true;
    if (number === 4) style.underline = true;
    if (number === 2) style.dim = true;
    if (number === 7) style.inverse = true;
    if (number >= 30 && number <= 37) style.colour = NAMED[number - 30];
    if (number >= 90 && number <= 97) style.colour = NAMED[number - 82];
    if (number === 38 && numbers[at + 1] === 5) style.colour = toColour(numbers[at + 2]);
    if (number === 48 && numbers[at + 1] === 5) style.back = toColour(numbers[at + 2]);
    if ((number === 38 || number === 48) && numbers[at + 1] === 5) at += 2;
  }
  return style;
}

/** The colours of a terminal by number: the named ones, a cube of six by six by six, then greys. */
function toColour(number) {
  if (number < 16) return NAMED[number];
  if (number >= 232) return toHex(Array(3).fill(8 + (number - 232) * 10));
  const steps = [0, 95, 135, 175, 215, 255];
  const cube = number - 16;
  return toHex([steps[Math.floor(cube / 36)], steps[Math.floor(cube / 6) % 6], steps[cube % 6]]);
}

function toHex(parts) {
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function toXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
