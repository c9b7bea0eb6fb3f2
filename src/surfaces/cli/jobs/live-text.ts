import { columnsOf } from '../../../index.ts';
import { clip } from '../../table/clip.ts';

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

/** What fits of a text, on one line. */
export function toFit(text: string, width: number): string {
  return clip(text.replace(CONTROL, ' '), width);
}

/** Exactly so wide. */
export function toWidth(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const fitting = toFit(text, width);
  const space = ' '.repeat(Math.max(0, width - columnsOf(fitting)));
  return side === 'left' ? fitting + space : space + fitting;
}

export function paint(text: string, style: Style, colour: boolean): string {
  return colour && style !== 'plain' && text !== '' ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text;
}
