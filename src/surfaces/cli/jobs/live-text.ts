/** What a piece of text looks like on a terminal. */
export type Style = 'plain' | 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'selected';

const CODES: Readonly<Record<Style, string>> = {
  plain: '',
  bold: '1',
  dim: '2',
  green: '32',
  yellow: '33;1',
  red: '31',
  selected: '7',
};

/** Characters that take two cells: those of East Asia, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
/** Characters that take none: accents of the letter before, joiners, variants. */
const NO_CELL = /[\p{M}\u200b-\u200f\u2060]/u;
/** Tabs and the like would move everything after them. */
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;

/** How many cells a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += cellsOf(character);
  return width;
}

/** What fits; a text that was cut ends with `…`. */
export function clip(text: string, width: number): string {
  const plain = text.replace(CONTROL, ' ');
  if (widthOf(plain) <= width) return plain;
  let [cut, used] = ['', 0];
  for (const character of plain) {
    used += cellsOf(character);
    if (used > width - 1) break;
    cut += character;
  }
  return width < 1 ? '' : `${cut}…`;
}

/** Exactly so wide. */
export function toWidth(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const clipped = clip(text, width);
  const space = ' '.repeat(Math.max(0, width - widthOf(clipped)));
  return side === 'left' ? clipped + space : space + clipped;
}

export function paint(text: string, style: Style, colour: boolean): string {
  return colour && style !== 'plain' && text !== '' ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text;
}

function cellsOf(character: string): number {
  if (NO_CELL.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
