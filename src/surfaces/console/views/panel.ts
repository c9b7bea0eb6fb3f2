import type { ScreenSize } from '../screen/frame-renderer.ts';
import type { KeyPress } from '../screen/key-reader.ts';
import type { ScreenScene } from '../screen/screen-painter.ts';
import { type StyledRow, span } from '../screen/styled-row.ts';

/** A view that takes the screen and the keys until it is closed. */
export interface Panel {
  render(size: ScreenSize): ScreenScene;
  onKey(key: KeyPress): void;
  onResize?(size: ScreenSize): void;
  /** Releases the panel's resources. */
  onClose?(): void;
}

/** The operations that a panel may use. */
export interface PanelHost {
  /** Schedules a redraw. */
  readonly refresh: () => void;
  /** Closes the panel. */
  readonly close: () => void;
}

/** The selected row and the first visible row of a list. */
export interface ListSelection {
  readonly at: number;
  readonly first: number;
}

/** Moves the selection and keeps it visible. */
export function moveListSelection(
  { at, first }: ListSelection,
  by: number,
  { count, room }: { count: number; room: number },
): ListSelection {
  const to = Math.max(0, Math.min(count - 1, at + by));
  const from = Math.max(to - room + 1, Math.min(first, to));
  return { at: to, first: Math.max(0, from) };
}

const LIST_STEPS: Readonly<Record<string, (room: number) => number>> = {
  up: () => -1,
  down: () => 1,
  'ctrl-p': () => -1,
  'ctrl-n': () => 1,
  'page-up': (room) => -room,
  'page-down': (room) => room,
  home: () => Number.NEGATIVE_INFINITY,
  end: () => Number.POSITIVE_INFINITY,
};

/** The number of rows that a key moves; 0 for other keys. */
export function toListStep(name: string, room: number): number {
  return LIST_STEPS[name]?.(room) ?? 0;
}

export function renderTitleRow(title: string, detail: string): StyledRow {
  return [span('   '), span(title, 'title'), span(detail === '' ? '' : `   ${detail}`, 'dim')];
}

/** Empty rows; none for a negative count. */
export function blankRows(count: number): readonly StyledRow[] {
  return Array.from({ length: Math.max(0, count) }, (): StyledRow => []);
}

/** Renders key hints from alternating keys and descriptions. */
export function renderKeyHints(...words: readonly string[]): StyledRow {
  return [
    span('   ', 'status'),
    ...words.map((word, at) =>
      at % 2 === 0 ? span(word, 'key') : span(` ${word}${at === words.length - 1 ? '' : '   '}`, 'status'),
    ),
  ];
}
