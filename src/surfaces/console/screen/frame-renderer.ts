import { applyTone, clipRow, FULL_WIDTH_TONES, rowWidth, type StyledRow, type Theme } from './styled-row.ts';

/** The content of the screen. */
export interface ScreenContent {
  readonly rows: readonly StyledRow[];
  /** Counted from 0; `null` hides the cursor. */
  readonly cursor: { readonly row: number; readonly column: number } | null;
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/**
 * Renders frames as escape sequences. Only changed rows are written, as one synchronized update, to avoid
 * flicker.
 */
export class FrameRenderer {
  #theme: Theme;
  #painted: string[] = [];
  #size = '';

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  /** The output that changes the previous frame into this one. */
  draw({ rows, cursor }: ScreenContent, size: ScreenSize): string {
    const key = `${size.columns} ${size.rows}`;
    const isNew = key !== this.#size;
    this.#size = key;
    if (isNew) this.#painted = [];
    const parts = ['\x1b[?2026h\x1b[?25l', ...(isNew ? ['\x1b[2J'] : [])];
    for (let at = 0; at < size.rows; at++) {
      const painted = this.#paintRow(rows[at] ?? [], size.columns);
      if (painted === this.#painted[at]) continue;
      this.#painted[at] = painted;
      // Clears first: after a full row the cursor is on its last character, which clearing would erase.
      parts.push(`\x1b[${at + 1};1H\x1b[K${painted}\x1b[0m`);
    }
    if (cursor !== null) parts.push(`\x1b[${cursor.row + 1};${cursor.column + 1}H\x1b[?25h`);
    parts.push('\x1b[?2026l');
    return parts.join('');
  }

  /** Forces a full redraw, because another program has used the screen. */
  invalidate(): void {
    this.#size = '';
  }

  setTheme(theme: Theme): void {
    this.#theme = theme;
    this.invalidate();
  }

  #paintRow(row: StyledRow, columns: number): string {
    const fitting = clipRow(row, columns);
    const painted = fitting
      .map(({ text, tone, painted: ready }) => ready ?? applyTone(this.#theme, tone, text))
      .join('');
    // The background colour extends to the end of the row.
    const last = row.at(-1)?.tone;
    const rest = columns - rowWidth(fitting);
    return last !== undefined && FULL_WIDTH_TONES.has(last) && rest > 0
      ? painted + applyTone(this.#theme, last, ' '.repeat(rest))
      : painted;
  }
}
