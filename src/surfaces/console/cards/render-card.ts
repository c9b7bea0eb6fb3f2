import { type Row, type Span, span, type Tone } from '../screen/row.ts';
import { wrap, wrapWords } from '../screen/width.ts';
import { type CallCard, type Card, isOver } from './card.ts';
import { renderFooter } from './render-footer.ts';

/** What a call shows while it is not expanded: rows of the screen for a tool's, lines for a person's. */
const TOOL_ROWS = 10;
const PERSON_LINES = 20;

/** A line longer than this is cut: nobody reads it here. */
const LONGEST_LINE = 4_000;

/** The columns before the text: whether it is chosen, its mark, a space. */
const MARGIN = 3;

export interface CardView {
  readonly columns: number;
  readonly now: number;
  /** Whether keys go to this one. */
  readonly isChosen: boolean;
}

/** A card as rows of the screen, with an empty one after it. */
export function renderCard(card: Card, view: CardView): Row[] {
  const room = Math.max(1, view.columns - MARGIN);
  if (card.kind === 'note') return [...renderNote(card.text, card.tone, room), []];
  const bar: Span = span(view.isChosen ? '▌' : ' ', 'accent');
  const rows = [
    ...renderHead(card, room).map((row, at): Row => [at === 0 ? markOf(card, view.now) : span(' '), ...row]),
    ...[...renderBody(card, room), ...renderFooter(card, { room, now: view.now })].map(
      (row): Row => [span(' '), ...row],
    ),
  ];
  return [...rows.map((row): Row => [bar, ...row]), []];
}

function renderNote(text: string, tone: Tone, room: number): Row[] {
  return linesOf(text).flatMap((line) =>
    wrapWords(line, room).map((row): Row => [span(' '.repeat(MARGIN)), span(row, tone)]),
  );
}

/** The command; what a person ran has its own sign before it. */
function renderHead(card: CallCard, room: number): Row[] {
  const sign = card.by === 'tool' ? '' : card.isPrivate ? '!!' : '!';
  return linesOf(`${sign}${card.command}`)
    .flatMap((line) => wrap(line, room))
    .map((text, at): Row => {
      const lead = at === 0 ? sign : '';
      return [span(' '), span(lead, 'accent'), span(text.slice(lead.length), 'strong')];
    });
}

const SPINNER = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const SPIN_MS = 90;

function markOf(card: CallCard, now: number): Span {
  if (card.state === 'asking') return span('?', 'warn');
  if (!isOver(card)) return span(SPINNER[Math.floor(now / SPIN_MS) % SPINNER.length] ?? '•', 'accent');
  if (card.state === 'cancelled') return span('◌', 'warn');
  if (card.result?.run.status === 'running' && card.ending === null) return span('↗', 'accent');
  const failed = card.ending === null ? card.result?.isError : card.ending.exitCode !== 0;
  return card.state === 'failed' || failed ? span('✗', 'bad') : span('✓', 'good');
}

function renderBody(card: CallCard, room: number): Row[] {
  const lines = linesOf(card.output).map((line) =>
    line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line,
  );
  const kept = card.by === 'person' && !card.isExpanded ? lines.slice(-PERSON_LINES) : lines;
  const rows = kept.flatMap((line) => wrap(line, room));
  const shown = card.by === 'tool' && !card.isExpanded ? rows.slice(-TOOL_ROWS) : rows;
  const hidden = rows.length - shown.length + (lines.length - kept.length);
  const what = hidden === 1 ? 'line' : 'lines';
  const more: Row[] =
    hidden > 0 ? [[span(' '), span(`… ${hidden.toLocaleString('en')} ${what} above (ctrl-o)`, 'dim')]] : [];
  return [...more, ...shown.map((text): Row => [span(' '), span(text, toneOf(card))])];
}

function toneOf({ output, result }: CallCard): Tone {
  return result !== null && output === '(no output)' ? 'dim' : 'output';
}

/** Lines without their ends; tabs would move everything after them, and nothing here may steer the terminal. */
export function linesOf(text: string): string[] {
  const plain = text
    .replace(/\n$/, '')
    .replace(/\t/g, '    ')
    .replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, '');
  return plain === '' ? [] : plain.split('\n');
}
