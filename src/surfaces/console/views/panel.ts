import type { ScreenSize } from '../screen/frame-renderer.ts';
import type { KeyPress } from '../screen/key-reader.ts';
import type { ScreenScene } from '../screen/screen-painter.ts';
import { type StyledRow, span } from '../screen/styled-row.ts';

/** Something that has the screen, and the keys, for a while. */
export interface Panel {
  render(size: ScreenSize): ScreenScene;
  onKey(key: KeyPress): void;
  onResize?(size: ScreenSize): void;
  /** It is left: what it opened is given back. */
  onClose?(): void;
}

/** What a layer may do to the console. */
export interface PanelHost {
  /** Something has changed: draw it soon. */
  readonly refresh: () => void;
  /** Leaves the layer. */
  readonly close: () => void;
}

/** A list one line of which is chosen. */
export interface ListSelection {
  readonly at: number;
  readonly first: number;
}

/** The chosen line moves, and is always on the screen. */
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

/** How far a key moves; 0 for a key that does not. */
export function toListStep(name: string, room: number): number {
  return LIST_STEPS[name]?.(room) ?? 0;
}

export function renderTitleRow(title: string, detail: string): StyledRow {
  return [span('   '), span(title, 'title'), span(detail === '' ? '' : `   ${detail}`, 'dim')];
}

/** What keys do: key, meaning, key, meaning. */
export function renderKeyHints(...words: readonly string[]): StyledRow {
  return [
    span('   ', 'status'),
    ...words.map((word, at) =>
      at % 2 === 0 ? span(word, 'key') : span(` ${word}${at === words.length - 1 ? '' : '   '}`, 'status'),
    ),
  ];
}
