import { applyTone, clipRow, FULL_WIDTH_TONES, rowWidth, type StyledRow, type Theme } from './styled-row.ts';

/** Everything the screen shows at one moment. */
export interface ScreenContent {
  readonly rows: readonly StyledRow[];
  /** Counted from 0; `null` hides it. */
  readonly cursor: { readonly row: number; readonly column: number } | null;
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/**
 * Draws pictures one over the other: only rows that changed are written, all of them at once where the terminal can,
 * so nothing flickers.
 */
export class FrameRenderer {
  #theme: Theme;
  #painted: string[] = [];
  #size = '';

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  /** The text that turns what the terminal shows into this picture. */
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
      // Cleared first: behind a row that is full the cursor stands on its last character, and clearing would take that.
      parts.push(`\x1b[${at + 1};1H\x1b[K${painted}\x1b[0m`);
    }
    if (cursor !== null) parts.push(`\x1b[${cursor.row + 1};${cursor.column + 1}H\x1b[?25h`);
    parts.push('\x1b[?2026l');
    return parts.join('');
  }

  /** Something else was on the screen meanwhile: everything is drawn again. */
  invalidate(): void {
    this.#size = '';
  }

  /** In other colours from now on. */
  setTheme(theme: Theme): void {
    this.#theme = theme;
    this.invalidate();
  }

  #paintRow(row: StyledRow, columns: number): string {
    const fitting = clipRow(row, columns);
    const painted = fitting
      .map(({ text, tone, painted: ready }) => ready ?? applyTone(this.#theme, tone, text))
      .join('');
    // A coloured row is coloured to its end.
    const last = row.at(-1)?.tone;
    const rest = columns - rowWidth(fitting);
    return last !== undefined && FULL_WIDTH_TONES.has(last) && rest > 0
      ? painted + applyTone(this.#theme, last, ' '.repeat(rest))
      : painted;
  }
}
