import { columnsOf } from '../../../index.ts';

/** What a piece of text looks like on a terminal. */
export type Style = 'plain' | 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan' | 'selected';

const CODES: Readonly<Record<Style, string>> = {
  plain: '',
  bold: '1',
  dim: '2',
  green: '32',
  yellow: '33;1',
  red: '31',
  cyan: '36',
  selected: '7',
};

/** Tabs and the like would move everything after them. */
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** What fits; a text that was cut ends with `…`. */
export function clip(text: string, width: number): string {
  const plain = text.replace(CONTROL, ' ');
  if (columnsOf(plain) <= width) return plain;
  let [cut, used] = ['', 0];
  for (const { segment } of segmenter.segment(plain)) {
    used += columnsOf(segment);
    if (used > width - 1) break;
    cut += segment;
  }
  return width < 1 ? '' : `${cut}…`;
}

/** Exactly so wide. */
export function toWidth(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const clipped = clip(text, width);
  const space = ' '.repeat(Math.max(0, width - columnsOf(clipped)));
  return side === 'left' ? clipped + space : space + clipped;
}

export function paint(text: string, style: Style, colour: boolean): string {
  return colour && style !== 'plain' && text !== '' ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text;
}
