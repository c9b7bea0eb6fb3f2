import type { IBufferCell, Terminal } from '@xterm/headless';

/** A row of a terminal's screen: what it says, and the same with its colours. */
export interface PaintedRow {
  readonly text: string;
  readonly painted: string;
}

/** The rows of the screen with their colours, as another terminal can draw them. */
export function paintRows(terminal: Terminal): PaintedRow[] {
  const { active } = terminal.buffer;
  const cell = active.getNullCell();
  return Array.from({ length: terminal.rows }, (_, row) => {
    const line = active.getLine(active.baseY + row);
    let text = '';
    let painted = '';
    let style = '';
    for (let column = 0; column < terminal.cols; column++) {
      const found = line?.getCell(column, cell);
      // The second half of a wide character.
      if (found === undefined || found.getWidth() === 0) continue;
      const next = styleOf(found);
      if (next !== style) painted += `\x1b[0${next}m`;
      style = next;
      const characters = found.getChars() || ' ';
      text += characters;
      painted += characters;
    }
    return { text, painted: style === '' ? painted : `${painted}\x1b[0m` };
  });
}

/** The parameters after a reset, each with its semicolon. */
function styleOf(cell: IBufferCell): string {
  const flags = [
    cell.isBold() ? ';1' : '',
    cell.isDim() ? ';2' : '',
    cell.isItalic() ? ';3' : '',
    cell.isUnderline() ? ';4' : '',
    cell.isInverse() ? ';7' : '',
    cell.isInvisible() ? ';8' : '',
    cell.isStrikethrough() ? ';9' : '',
  ].join('');
  const foreground = colourOf(38, {
    isRgb: cell.isFgRGB(),
    isPalette: cell.isFgPalette(),
    value: cell.getFgColor(),
  });
  const background = colourOf(48, {
    isRgb: cell.isBgRGB(),
    isPalette: cell.isBgPalette(),
    value: cell.getBgColor(),
  });
  return flags + foreground + background;
}

interface Colour {
  readonly isRgb: boolean;
  readonly isPalette: boolean;
  readonly value: number;
}

function colourOf(code: 38 | 48, { isRgb, isPalette, value }: Colour): string {
  if (isPalette) return `;${code};5;${value}`;
  return isRgb ? `;${code};2;${(value >> 16) & 255};${(value >> 8) & 255};${value & 255}` : '';
}
