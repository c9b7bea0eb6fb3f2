import { type Row, type Span, span } from '../screen/row.ts';
import { wrap } from '../screen/width.ts';
import { type CallCard, type Card, isOver } from './card.ts';
import { renderFooter } from './render-footer.ts';

/** What a call shows while it is not expanded: rows of the screen for a tool's, lines for a person's. */
const TOOL_ROWS = 10;
const PERSON_LINES = 20;

/** A line longer than this is cut: nobody reads it here. */
const LONGEST_LINE = 4_000;

export interface CardView {
  readonly columns: number;
  readonly now: number;
  /** Whether keys go to this one. */
  readonly isChosen: boolean;
}

/** A card as rows of the screen, with an empty one after it. */
export function renderCard(card: Card, view: CardView): Row[] {
  if (card.kind === 'note')
    return [
      ...linesOf(card.text).flatMap((line) => wrap(line, view.columns).map((row) => [span(row, card.tone)])),
      [],
    ];
  return [...renderHead(card, view), ...renderBody(card, view), ...renderFooter(card, view), []];
}

const SPINNER = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const SPIN_MS = 90;

function renderHead(card: CallCard, { columns, now, isChosen }: CardView): Row[] {
  const lines = linesOf(card.command);
  const rows = lines.flatMap((line) => wrap(line, Math.max(1, columns - 4)));
  return rows.map((text, at): Row => {
    const bar: Span = span(isChosen ? '▌' : ' ', 'accent');
    const mark: Span = at === 0 ? markOf(card, now) : span(' ');
    return [bar, mark, span(' '), span(text, 'strong')];
  });
}

function markOf(card: CallCard, now: number): Span {
  if (!isOver(card)) return span(SPINNER[Math.floor(now / SPIN_MS) % SPINNER.length] ?? '•', 'accent');
  if (card.state === 'cancelled') return span('◌', 'warn');
  if (card.result?.run.status === 'running') return span('↗', 'accent');
  const failed = card.result?.isError ?? (card.ending !== null && card.ending.exitCode !== 0);
  return card.state === 'failed' || failed ? span('✗', 'bad') : span('✓', 'good');
}

function renderBody(card: CallCard, view: CardView): Row[] {
  const room = Math.max(1, view.columns - 4);
  const lines = linesOf(card.output).map((line) =>
    line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line,
  );
  const kept = card.by === 'person' && !card.isExpanded ? lines.slice(-PERSON_LINES) : lines;
  const rows = kept.flatMap((line) => wrap(line, room));
  const shown = card.by === 'tool' && !card.isExpanded ? rows.slice(-TOOL_ROWS) : rows;
  const hidden = rows.length - shown.length + (lines.length - kept.length);
  const more: Row[] =
    hidden > 0 ? [[span(`    … ${hidden.toLocaleString('en')} more above (ctrl-o expands)`, 'dim')]] : [];
  return [...more, ...shown.map((text): Row => [span('    '), span(text, toneOf(card))])];
}

function toneOf({ by }: CallCard): 'plain' | 'dim' {
  return by === 'person' ? 'plain' : 'dim';
}

/** Lines without their ends; tabs would move everything after them, and nothing here may steer the terminal. */
export function linesOf(text: string): string[] {
  const plain = text
    .replace(/\n$/, '')
    .replace(/\t/g, '    ')
    .replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, '');
  return plain === '' ? [] : plain.split('\n');
}
