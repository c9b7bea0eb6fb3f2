import { type Row, span } from '../screen/row.ts';

/** A list one line of which is chosen. */
export interface Choice {
  readonly at: number;
  readonly first: number;
}

/** The chosen line moves, and is always on the screen. */
export function moveChoice(
  { at, first }: Choice,
  by: number,
  { count, room }: { count: number; room: number },
): Choice {
  const to = Math.max(0, Math.min(count - 1, at + by));
  const from = Math.max(to - room + 1, Math.min(first, to));
  return { at: to, first: Math.max(0, from) };
}

const STEPS: Readonly<Record<string, (room: number) => number>> = {
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
export function stepOf(name: string, room: number): number {
  return STEPS[name]?.(room) ?? 0;
}

export function titleRow(title: string, detail: string): Row {
  return [span('   '), span(title, 'title'), span(detail === '' ? '' : `   ${detail}`, 'dim')];
}

/** What keys do: key, meaning, key, meaning. */
export function keyRow(...words: readonly string[]): Row {
  return [
    span('   ', 'status'),
    ...words.map((word, at) =>
      at % 2 === 0 ? span(word, 'key') : span(` ${word}${at === words.length - 1 ? '' : '   '}`, 'status'),
    ),
  ];
}
