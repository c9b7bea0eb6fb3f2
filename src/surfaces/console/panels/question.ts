import { type Answer, columnsOf, type OpenQuestion } from '../../../index.ts';
import { charactersOf } from '../../table/clip.ts';
import { linesOf } from '../cards/render-card.ts';
import type { Key } from '../keys/key.ts';
import { type Row, type Span, span } from '../screen/row.ts';
import { wrapWords } from '../screen/width.ts';

const ANSWERS: Readonly<Record<string, Answer>> = { y: 'once', a: 'always', n: 'no' };

/** What a key answers; `null` for one that does not. */
export function answerOf({ name, text }: Key, { always }: OpenQuestion): Answer | null {
  if (name === 'escape') return 'no';
  const answer = ANSWERS[text.toLowerCase()] ?? null;
  return answer === 'always' && always.length === 0 ? null : answer;
}

export interface QuestionView {
  readonly columns: number;
  /** Whether keys go to a line that is being written. */
  readonly isWriting: boolean;
  /** Who asks, where that is not clear. */
  readonly who?: string;
}

/** A command that waits for a person's word: what of it needs one is underlined. */
export function renderQuestion(question: OpenQuestion, { columns, isWriting, who }: QuestionView): Row[] {
  const room = Math.max(1, columns - EDGE.length);
  const command = markedLines(question).flatMap((line) =>
    wrapMarked(line, room).map((row): Row => [span(EDGE, 'warn'), ...row]),
  );
  const reason = wrapWords(question.reason, room).map(
    (row): Row => [span(EDGE, 'warn'), span(row, 'output')],
  );
  const keys = isWriting
    ? [[span(EDGE, 'warn'), span('clear the line (ctrl-c) to answer', 'dim')]]
    : renderKeys(question, room);
  const asks = who === undefined ? [] : [span(`  ${who}`, 'accent'), span(`  ${question.cwd}`, 'dim')];
  return [[span(EDGE, 'warn'), span('May this run?', 'warn'), ...asks], ...command, ...reason, ...keys];
}

/** The edge of a question: what is inside waits for an answer. */
const EDGE = ' ┃ ';

/** No and yes come first: what always would allow may be long. */
function renderKeys({ always }: OpenQuestion, room: number): Row[] {
  const rules = always.map(({ prefix, exact }) => `${prefix.join(' ')}${exact ? '' : ' …'}`);
  const first: Row = [
    span('y', 'title'),
    span(' this time   ', 'dim'),
    span('n', 'title'),
    span(' no', 'dim'),
  ];
  const allowed = wrapWords(`always: ${rules.join(', ')}`, room - 2);
  const more =
    rules.length === 0
      ? []
      : allowed.map((text, at): Row => [span(at === 0 ? 'a ' : '  ', 'title'), span(text, 'dim')]);
  return [first, ...more].map((row): Row => [span(EDGE, 'warn'), ...row]);
}

interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** The command line by line, in pieces that need a word and pieces that do not. */
function markedLines({ command, spans }: OpenQuestion): Piece[][] {
  const marks = Array.from({ length: command.length }, () => false);
  for (const { start, end } of spans) marks.fill(true, start, end);
  let at = 0;
  return command.split('\n').map((line) => {
    const pieces: { text: string; isMarked: boolean }[] = [];
    for (const [index, unit] of line.split('').entries()) {
      const isMarked = marks[at + index] ?? false;
      const last = pieces.at(-1);
      if (last?.isMarked === isMarked) last.text += unit;
      else pieces.push({ text: unit, isMarked });
    }
    at += line.length + 1;
    return pieces;
  });
}

function wrapMarked(pieces: readonly Piece[], room: number): Row[] {
  const rows: Span[][] = [[]];
  let left = room;
  for (const { text, isMarked } of pieces)
    for (const character of charactersOf(linesOf(text)[0] ?? '')) {
      const width = columnsOf(character);
      if (width > left) {
        rows.push([]);
        left = room;
      }
      left -= width;
      rows.at(-1)?.push(span(character, isMarked ? 'marked' : 'strong'));
    }
  return rows.map(joinSpans);
}

/** Neighbours of one tone are one. */
function joinSpans(row: readonly Span[]): Row {
  const joined: Span[] = [];
  for (const each of row) {
    const last = joined.at(-1);
    if (last?.tone === each.tone) joined[joined.length - 1] = span(last.text + each.text, each.tone);
    else joined.push(each);
  }
  return joined;
}
